import { createApp } from "vue";
import { FairlaneDemo } from "fairlane/demo";
import Article from "./Article.vue";

// Where the lab is: ?lab=… of this page's address, or the published one.
FairlaneDemo.lab = new URLSearchParams(location.search).get("lab") ?? FairlaneDemo.lab;
createApp(Article).mount("#root");
