/** What is wrong with a scenario, or a name that is not a policy's or of the catalog. */
export class FairlaneError extends Error {
  name = "FairlaneError";

  constructor(message, path, line, column) {
    super(message);
    this.path = path;
    this.line = line;
    this.column = column;
  }
}
