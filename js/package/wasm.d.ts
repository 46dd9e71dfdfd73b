/** The address that a bundler gives the compiled simulator, for `init`. */
declare const address: string;
export default address;
