// Starts a simulation worker. The first message brings the address of the page's script and the program that the page has
// loaded and compiled already; the tasks that follow wait until the program listens.
const waiting = [];

onmessage = async ({ data: [script, program] }) => {
  onmessage = ({ data }) => waiting.push(data);
  const { default: run } = await import(script);
  await run({ module_or_path: program });
  for (const data of waiting) dispatchEvent(new MessageEvent("message", { data }));
};
