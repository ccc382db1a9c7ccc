/**
 * Returns the folder of the published vectors, which are not part of the project.
 * @throws Error if LOCKSTEP_VECTORS is not set
 */
export function vectorsFolder(): string {
  const folder = process.env.LOCKSTEP_VECTORS
  if (folder === undefined) throw new Error('set LOCKSTEP_VECTORS to the folder of the vectors')
  return folder
}
