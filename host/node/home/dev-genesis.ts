import { readFileSync } from 'node:fs'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { DevelopmentChoices } from '../../evm/chain-types/genesis-presets.ts'
import { OWN_REVISIONS, type Revision } from '../../evm/chain-types/revision.ts'
import { decodeEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'

const NANOSECONDS = 1_000_000_000n

/** anvil's names of revisions that have another name here. */
const OTHER_NAMES: Readonly<Record<string, Revision>> = { tangerine: 'TangerineWhistle' }

/** What the configuration says about the first block of a development chain. */
export interface DevGenesis {
  readonly choices: DevelopmentChoices
  /** Undefined for that of the preset. */
  readonly chainId: bigint | undefined
  /** Nanoseconds since 1970; undefined for now. */
  readonly time: bigint | undefined
}

/** @throws INVALID_ARGUMENT */
export function hardforkOf(name: string): Revision | undefined {
  if (name === '') return undefined
  const asked = name.toLowerCase()
  const known = OWN_REVISIONS.find((revision) => revision.toLowerCase() === asked)
  const revision = known ?? lookup(OTHER_NAMES, asked)
  if (revision !== undefined) return revision
  throw new LockstepError('INVALID_ARGUMENT', `--dev.hardfork ${name} is no known hardfork`, {
    hint: `write one of ${OWN_REVISIONS.map((each) => each.toLowerCase()).join(', ')}`,
  })
}

function readInit(path: string): ReturnType<typeof decodeEthereumGenesis> | undefined {
  if (path === '') return undefined
  try {
    return decodeEthereumGenesis(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--dev.init ${path}: ${messageOf(cause)}`, {
      hint: 'pass a readable genesis.json of Ethereum, as geth and anvil take it',
      cause,
    })
  }
}

/**
 * Returns the first block that [dev] asks for.
 * @throws INVALID_ARGUMENT
 */
export function devGenesis({
  baseFee,
  create2Deployer,
  hardfork,
  init,
  timestamp,
}: Config['dev']): DevGenesis {
  const ethereum = readInit(init)
  const header = ethereum?.header
  const seconds = timestamp < 0 ? header?.timestamp : BigInt(timestamp)
  return {
    choices: {
      revision: hardforkOf(hardfork),
      baseFee: baseFee < 0 ? header?.baseFeePerGas : BigInt(baseFee),
      coinbase: header?.coinbase.some((byte) => byte !== 0) ? header.coinbase : undefined,
      accounts: ethereum?.accounts ?? [],
      hasCreate2Deployer: create2Deployer,
    },
    chainId: ethereum?.network.chainId,
    time: seconds === undefined ? undefined : seconds * NANOSECONDS,
  }
}

/**
 * Compares the configured first block with that of an existing chain. A genesis.json that was loaded is not compared.
 * @throws INVALID_ARGUMENT if another revision, base fee or time is configured
 */
export function checkDevGenesis(path: string, { params, time }: Genesis, dev: Config['dev']): void {
  const { baseFee, hardfork, timestamp } = dev
  const revision = hardforkOf(hardfork)
  const differences: readonly (readonly [key: string, asked: unknown, has: unknown])[] = [
    ['hardfork', revision ?? params.revision, params.revision],
    [
      'base-fee',
      baseFee < 0 ? params.feeMarket.initialBaseFee : BigInt(baseFee),
      params.feeMarket.initialBaseFee,
    ],
    ['timestamp', timestamp < 0 ? time / NANOSECONDS : BigInt(timestamp), time / NANOSECONDS],
  ]
  for (const [key, asked, has] of differences) {
    if (asked === has) continue
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${path} has ${has}; dev.${key} asks for ${asked}`,
      {
        hint: `omit dev.${key}, or use another --home`,
      },
    )
  }
}
