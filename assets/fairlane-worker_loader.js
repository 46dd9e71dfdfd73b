// Starts a simulation worker with the program that the page has loaded and compiled already:
// its first message names the program's script and brings the compiled module.
onmessage = async ({ data: [script, module] }) => {
  onmessage = null;
  const { default: start } = await import(script);
  await start({ module_or_path: module });
};
