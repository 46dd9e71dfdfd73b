// Starts a simulation worker. Its first message is the address of the page's script, its second the program that the
// page has loaded and compiled already; the tasks that follow wait until the program listens.
let script;
let started;
const waiting = [];

onmessage = ({ data }) => {
  if (script === undefined) script = import(data);
  else if (started === undefined) started = start(data);
  else waiting.push(data);
};

async function start(program) {
  const { default: run } = await script;
  await run({ module_or_path: program });
  for (const data of waiting) dispatchEvent(new MessageEvent("message", { data }));
}
