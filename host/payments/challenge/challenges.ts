/**
 * References of challenges, and the times at which resources were asked for. Times are in seconds since 1970; a
 * resource is named by its configured path.
 */
export interface Challenges {
  /**
   * A new reference, which nobody can guess. A flood of them writes one row a second for each resource.
   * @throws what the disk says where it does not take the row
   */
  issue(resource: string, now: bigint): string
  /** When a reference was issued; undefined for one that is not of these challenges, or of another resource. */
  issuedAt(reference: string, resource: string): bigint | undefined
  /** Whether a challenge of the resource was issued from one time to the other, both included. */
  issuedWithin(resource: string, from: bigint, to: bigint): boolean
  close(): void
}
