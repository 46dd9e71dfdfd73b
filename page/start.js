// Starts the page.
import start from "./fairlane-page.js";

start();
