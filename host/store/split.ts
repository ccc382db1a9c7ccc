import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../base/error.ts'
import { EVM_KINDS, type EvmKind } from './evm-tables.ts'
import { Member } from './member.ts'

/** The remedy of upstream's texts, word for word: operators and their scripts search for it. */
const REMEDY = 'state sync before enabling evm-ss-split, or set evm-ss-split=false'

function refused(message: string): LockstepError {
  return new LockstepError('STORE_SPLIT_REFUSED', message)
}

/** The state store's environments: one for the general modules, none to four for EVM data. */
export interface SplitMembers {
  readonly general: Member
  /** Empty while the split is off: EVM data then lies in the general member. */
  readonly evm: readonly Member[]
  readonly memberOf: (kind: EvmKind) => Member
}

export interface SplitOptions {
  readonly generalDir: string
  readonly evmDir: string
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
}

/**
 * Opens the members. With the split on, safety checks 1 and 2 of the contract hold it back; neither
 * writes anything when it refuses.
 * @throws STORE_SPLIT_REFUSED
 */
export async function openMembers(options: SplitOptions): Promise<SplitMembers> {
  const general = new Member(options.generalDir)
  const evm: Member[] = []
  try {
    if (!options.evmSplit) return { general, evm, memberOf: () => general }
    if (general.hasHistory) checkDirectory(options.evmDir)
    const byKind = new Map<EvmKind, Member>()
    const dirs = options.evmSeparateDbs
      ? EVM_KINDS.map((kind) => join(options.evmDir, kind))
      : [options.evmDir]
    if (general.hasHistory && !dirs.every(holdsEnvironment)) throw emptyStore()
    for (const dir of dirs) evm.push(new Member(dir))
    if (options.evmSeparateDbs) {
      EVM_KINDS.forEach((kind, i) => void byKind.set(kind, evm[i] as Member))
    }
    if (general.hasHistory && !evm.every((member) => member.hasHistory)) throw emptyStore()
    return { general, evm, memberOf: (kind) => byKind.get(kind) ?? (evm[0] as Member) }
  } catch (thrown) {
    await Promise.all([general, ...evm].map((member) => member.close()))
    throw thrown
  }
}

/** Safety check 2: an EVM store beside a general store with history must have some too. */
function emptyStore(): LockstepError {
  return refused(`EVM SS is empty but Cosmos SS already has history; ${REMEDY}`)
}

function holdsEnvironment(dir: string): boolean {
  return existsSync(join(dir, 'data.mdb'))
}

/** Safety check 1: a general store with history needs an EVM store beside it. */
function checkDirectory(dir: string): void {
  let entries: readonly string[]
  try {
    entries = readdirSync(dir)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw refused(`failed to inspect EVM SS directory "${dir}": ${messageOf(thrown)}`)
    }
    throw refused(
      `EVM SS directory "${dir}" does not exist but Cosmos SS already has history; ${REMEDY}`,
    )
  }
  if (entries.length === 0) {
    throw refused(`EVM SS directory "${dir}" is empty but Cosmos SS already has history; ${REMEDY}`)
  }
}

/** Safety check 3, after recovery: both members must reach back equally far. */
export function checkFloors({ general, evm }: SplitMembers): void {
  if (evm.length === 0) return
  const floor = Math.max(...evm.map((member) => member.earliest))
  if (floor !== general.earliest && (floor > 0 || general.earliest > 0)) {
    throw refused(
      `EVM SS earliest version ${floor} does not match Cosmos SS earliest version ${general.earliest}: ` +
        'state sync the EVM SS DB, or set evm-ss-split=false',
    )
  }
}
