import { BERLIN, OSAKA } from '../generated/revision'

/** The revision of the block being executed, as the constants of generated/revision.ts. */
export let revision: i32 = OSAKA

export function setRevision(value: i32): void {
  revision = value
}

/** True where touching state is priced by EIP-2929. */
@inline
export function isBerlin(): bool {
  return revision >= BERLIN
}
