/**
 * Issues challenge references and records when each resource was challenged. Times are in seconds since 1970; a
 * resource is named by its configured path.
 */
export interface Challenges {
  /**
   * Returns a new unguessable reference. Writes at most one row per second and resource, even under a flood.
   * @throws the disk's error if the row cannot be written
   */
  issue(resource: string, now: bigint): string
  /** Returns when a reference was issued; undefined if it is foreign or for another resource. */
  issuedAt(reference: string, resource: string): bigint | undefined
  /** Returns whether a challenge of the resource was issued between the two times, inclusive. */
  issuedWithin(resource: string, from: bigint, to: bigint): boolean
  close(): void
}
