// Starts a simulation worker. The first message brings the address of the page's script, the program that the page has
// loaded and compiled already, and the name of a lock; the tasks that follow wait until the program listens.
const waiting = [];

// Holds a lock as long as this worker lives: once it is free the page knows that the worker has died.
const hold = (lock) =>
  new Promise((held) => {
    if (!navigator.locks) return held();
    navigator.locks.request(lock, () => new Promise(() => held())).catch(held);
  });

onmessage = async ({ data: [script, program, lock] }) => {
  onmessage = ({ data }) => waiting.push(data);
  await hold(lock);
  const { default: run } = await import(script);
  await run({ module_or_path: program });
  for (const data of waiting) dispatchEvent(new MessageEvent("message", { data }));
};
