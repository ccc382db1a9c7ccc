import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { Genesis } from '../../../evm/chain-types/genesis.ts'
import { downtimeWrites } from '../../../evm/modules/staking-downtime.ts'
import { evidenceRows } from '../../../evm/modules/staking-evidence.ts'
import { STAKING_ADDRESS } from '../../../evm/modules/staking-rows.ts'
import { type SetChange, ValidatorSet } from '../../../evm/modules/validator-set.ts'
import type { ModuleWrites } from '../../../evm/state/changeset.ts'
import { mergeModules } from '../../../evm/state/module-rows.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { BlockRequest, ValidatorUpdate } from '../application.ts'

const MODULE = 'staking'

/** Result of the end of a block: all module writes and the validator changes. */
export interface EndedBlock {
  readonly modules: readonly ModuleWrites[]
  readonly validators: SetChange
}

/**
 * Staking at the end of a block. Counts the votes of the last commit and jails validators for downtime, writes
 * evidence for the system call at the start of the next block, and compares the validators with those last reported
 * to consensus. All of it is stored as rows, so that a restored state behaves the same.
 */
export class StakingEnd {
  #set: ValidatorSet | undefined

  /**
   * @param modules writes of the block
   * @param view state after the parent block
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
    const { misbehavior, votes, time, height } = request
    const counted = downtimeWrites(votes, height, time, read)
    for (const { key, value } of counted) values.set(bytesKey(key), value)
    const validators = this.#set.change(
      [...written, ...counted].map(({ key }) => key),
      read,
    )
    const evidence = misbehavior.length === 0 ? [] : evidenceRows(misbehavior, time, read)
    const writes = [...counted, ...validators.rows, ...evidence]
    if (writes.length === 0) return { modules, validators }
    return { modules: mergeModules(modules, [{ module: MODULE, writes }]), validators }
  }

  /**
   * Checks that a chain continued under a new genesis.json keeps its validators: consensus starts with those of
   * genesis.json and receives changes relative to them.
   * @param view the state that the chain continues from
   * @throws GENESIS_INVALID
   */
  requireContinued(genesis: Pick<Genesis, 'validators'>, view: StateView): void {
    const read = (key: Uint8Array) => view.storage(STAKING_ADDRESS, key)
    this.#set ??= new ValidatorSet(read)
    const told = this.#set.told(read)
    // Empty on a chain that never reported validators: its next block reports all of them
    if (told.length > 0) requireValidators(genesis, told, 'staking')
  }

  /** Drops the cached validators after blocks were removed. */
  forget(): void {
    this.#set = undefined
  }

  /** Applies the changes of a committed block. */
  accept(validators: SetChange): void {
    this.#set?.accept(validators)
  }
}

/**
 * Checks that consensus starts with the validators in the staking rows, which changes are relative to.
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
    `${holder} has the validator ${odd}, but ${other} does not`,
    {
      hint:
        source === 'consensus'
          ? 'both must read the same genesis.json'
          : 'use genesis.json as `lockstep genesis export` wrote it; staking changes the validators later',
    },
  )
}
