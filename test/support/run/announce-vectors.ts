/** Prints once a run why the tests on published vectors are skipped. */
export function setup(): void {
  if (process.env.LOCKSTEP_VECTORS !== undefined) return
  console.log('Published vectors are absent: set LOCKSTEP_VECTORS to run the tests that read them.')
}
