import { BERLIN, OSAKA } from '../generated/revision'

/** The revision of the block being executed, as the constants of generated/revision.ts. */
export let revision: i32 = OSAKA

export function setRevision(value: i32): void {
  revision = value
}

/** Returns true if EIP-2929 prices state access. */
@inline
export function isBerlin(): bool {
  return revision >= BERLIN
}
