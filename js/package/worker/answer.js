/** Does what a request asks for. Errors travel as objects: what is thrown loses its class on the way. */
export async function answer(fairlane, [name, ...values]) {
  try {
    await fairlane.default();
    return { value: fairlane[name](...values) };
  } catch (error) {
    return { error: { message: error.message, path: error.path, line: error.line, column: error.column } };
  }
}
