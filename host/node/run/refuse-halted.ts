import { LockstepError } from '../../base/error.ts'

/** @throws CONFIG_INVALID if the chain has reached `haltHeight` */
export function refuseHalted(haltHeight: number, height: number): void {
  if (haltHeight === 0 || height < haltHeight) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `halt-height is ${haltHeight}, but the chain is at height ${height}`,
    { hint: 'write a greater halt-height in app.toml, or 0 to continue' },
  )
}
