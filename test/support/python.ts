/**
 * The Python that tests start kernels with: ipykernel 7 and what the notebooks under test import.
 * `npm test` makes it and names it in the environment; a test never looks for a Python by itself, because
 * whatever happens to be installed would decide what is tested.
 */

/** Absolute path of the interpreter; throws when the tests were started without set-up. */
export function testPython(): string {
  const python = process.env.CELLWRIGHT_TEST_PYTHON;
  if (!python)
    throw new Error('CELLWRIGHT_TEST_PYTHON is not set. Start the tests with `npm test`, or set it to a Python that has ipykernel 7.');
  return python;
}
