import vue from "@vitejs/plugin-vue";

// Vue warns of elements that it does not know.
const isCustomElement = (name) => name === "fairlane-demo";
export default { plugins: [vue({ template: { compilerOptions: { isCustomElement } } })] };
