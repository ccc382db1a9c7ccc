import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { Genesis } from '../../../evm/chain-types/genesis.ts'
import { evidenceRows } from '../../../evm/modules/staking-evidence.ts'
import { STAKING_ADDRESS } from '../../../evm/modules/staking-rows.ts'
import { type SetChange, ValidatorSet } from '../../../evm/modules/validator-set.ts'
import type { ModuleWrites } from '../../../evm/state/changeset.ts'
import { mergeModules } from '../../../evm/state/module-rows.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { BlockRequest, ValidatorUpdate } from '../application.ts'

const MODULE = 'staking'

/** What the end of a block adds to what its transactions have written. */
export interface EndedBlock {
  readonly modules: readonly ModuleWrites[]
  readonly validators: SetChange
}

/**
 * Staking at the end of a block: evidence is written down for the protocol's call that begins the next block, and the
 * validators are compared with those that consensus was told of last. Both are rows, so that whoever has the state goes
 * on as the others do.
 */
export class StakingEnd {
  #set: ValidatorSet | undefined

  /**
   * @param modules what the block has written
   * @param view the state after the parent block
   */
  run(request: BlockRequest, modules: readonly ModuleWrites[], view: StateView): EndedBlock {
    const written = modules.find(({ module }) => module === MODULE)?.writes ?? []
    const values = new Map(written.map(({ key, value }) => [bytesKey(key), value]))
    const parentRow = (key: Uint8Array) => view.storage(STAKING_ADDRESS, key)
    const read = (key: Uint8Array) => {
      const name = bytesKey(key)
      return values.has(name) ? values.get(name) : parentRow(key)
    }
    this.#set ??= new ValidatorSet(parentRow)
    const validators = this.#set.change(
      written.map(({ key }) => key),
      read,
    )
    const { misbehavior, time } = request
    const evidence = misbehavior.length === 0 ? [] : evidenceRows(misbehavior, time, read)
    const writes = [...validators.rows, ...evidence]
    if (writes.length === 0) return { modules, validators }
    return { modules: mergeModules(modules, [{ module: MODULE, writes }]), validators }
  }

  /**
   * A chain that goes on with a genesis of its own must do so with the validators that it has: consensus begins with
   * those of genesis.json, and is told what changes against these.
   * @param view the state that it goes on from
   * @throws GENESIS_INVALID
   */
  requireContinued(genesis: Pick<Genesis, 'validators'>, view: StateView): void {
    const read = (key: Uint8Array) => view.storage(STAKING_ADDRESS, key)
    this.#set ??= new ValidatorSet(read)
    const told = this.#set.told(read)
    // A chain of before consensus was told of any tells all of them with its next block
    if (told.length > 0) requireValidators(genesis, told, 'staking')
  }

  /** Reads the validators again: blocks were removed. */
  forget(): void {
    this.#set = undefined
  }

  /** The block has been committed. */
  accept(validators: SetChange): void {
    this.#set?.accept(validators)
  }
}

/**
 * What consensus begins with must be what staking has rows of: changes are told against it.
 * @throws GENESIS_INVALID
 */
export function requireValidators(
  { validators }: Pick<Genesis, 'validators'>,
  begun: readonly ValidatorUpdate[],
  source: 'consensus' | 'staking',
): void {
  const [wanted, found] = [validators, begun].map((list) =>
    list.map(({ publicKey, power }) => `${hexDigits(publicKey)} with power ${power}`),
  ) as [string[], string[]]
  const odd = [...wanted, ...found].find((one) => !wanted.includes(one) || !found.includes(one))
  if (odd === undefined) return
  const [holder, other] = wanted.includes(odd) ? ['genesis.json', source] : [source, 'genesis.json']
  throw new LockstepError(
    'GENESIS_INVALID',
    `${holder} has the validator ${odd}, ${other} has not`,
    {
      hint:
        source === 'consensus'
          ? 'both have to read the same genesis.json'
          : 'take genesis.json as `lockstep genesis export` wrote it; validators come and go by staking',
    },
  )
}
