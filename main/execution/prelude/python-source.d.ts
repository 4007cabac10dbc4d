/** A Python file imported for its text: esbuild's `text` loader in the bundles, a plugin of the same effect in the tests. */
declare module '*.py' {
  const source: string;
  export default source;
}
