import pictures from "./fairlane.mjs";

const lab = "https://lab.example/";

export default {
  title: "A handbook with demos",
  url: "https://handbook.example",
  baseUrl: "/",
  scripts: [{ src: `${lab}fairlane-demo.js`, defer: true }],
  plugins: [["@docusaurus/plugin-content-docs", {
    routeBasePath: "/",
    beforeDefaultRemarkPlugins: [[pictures, { lab }]],
  }]],
  themes: ["@docusaurus/theme-classic"],
};
