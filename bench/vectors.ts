/**
 * Folder of the published vectors, which stand outside the project.
 * @throws Error when LOCKSTEP_VECTORS does not name it.
 */
export function vectorsFolder(): string {
  const folder = process.env.LOCKSTEP_VECTORS
  if (folder === undefined) throw new Error('set LOCKSTEP_VECTORS to the folder of the vectors')
  return folder
}
