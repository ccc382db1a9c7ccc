import { bigintToBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import { parseData, parseFixedData } from '../../../base/hex.ts'
import { lookup } from '../../../base/lookup.ts'
import { BLOOM_BYTES } from '../../chain-types/bloom.ts'
import {
  EMPTY_ACCESS_LIST_HASH,
  EMPTY_LIST_ROOT,
  type EthereumHeader,
  NO_OMMERS_HASH,
  NO_REQUESTS_HASH,
} from '../../chain-types/ethereum-header.ts'
import type { GenesisAccount } from '../../chain-types/genesis.ts'
import {
  atGenesisPath,
  type GenesisObject,
  invalidGenesis,
  MAX_U64,
  MAX_U256,
  parseGenesis,
  readAlloc,
  readGenesisInteger,
  readGenesisObject,
  readGenesisString,
  readShortWord,
} from '../../chain-types/genesis-json.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { BlobSchedule } from '../blob-gas.ts'
import { type EthereumNetwork, type ForkActivation, type ForkName, rulesAt } from './forks.ts'
import { INITIAL_BASE_FEE } from './header-rules.ts'

/** A decoded geth genesis.json. */
export interface EthereumGenesis {
  readonly network: EthereumNetwork
  /** Blocks and times of the network's forks, as EIP-2124 counts them: ascending, without 0. */
  readonly checkpoints: { readonly blocks: readonly bigint[]; readonly times: readonly bigint[] }
  readonly accounts: readonly GenesisAccount[]
  /** Header of the genesis block without its state root. */
  readonly header: Omit<EthereumHeader, 'stateRoot'>
}

/** geth's defaults for a genesis block (params/protocol_params.go). */
const DEFAULT_GAS_LIMIT = 4_712_388n
const DEFAULT_DIFFICULTY = 131_072n

const NOTHING = new Uint8Array(32)

/** geth's default for the deposit contract (EIP-6110). */
const NO_ADDRESS = new Uint8Array(20)

/** Forks in order, with the geth config members that activate them. */
export const FORK_MEMBERS: readonly (readonly [fork: ForkName, member: string])[] = [
  ['Homestead', 'homesteadBlock'],
  ['Dao', 'daoForkBlock'],
  ['TangerineWhistle', 'eip150Block'],
  ['SpuriousDragon', 'eip158Block'],
  ['Byzantium', 'byzantiumBlock'],
  ['Constantinople', 'constantinopleBlock'],
  ['Petersburg', 'petersburgBlock'],
  ['Istanbul', 'istanbulBlock'],
  ['MuirGlacier', 'muirGlacierBlock'],
  ['Berlin', 'berlinBlock'],
  ['London', 'londonBlock'],
  ['ArrowGlacier', 'arrowGlacierBlock'],
  ['GrayGlacier', 'grayGlacierBlock'],
  ['Paris', 'terminalTotalDifficulty'],
  ['Shanghai', 'shanghaiTime'],
  ['Cancun', 'cancunTime'],
  ['Prague', 'pragueTime'],
  ['Osaka', 'osakaTime'],
  ['BPO1', 'bpo1Time'],
  ['BPO2', 'bpo2Time'],
  ['BPO3', 'bpo3Time'],
  ['BPO4', 'bpo4Time'],
  ['BPO5', 'bpo5Time'],
  ['Amsterdam', 'amsterdamTime'],
]

/** Members that activate no fork of their own but may accompany one. */
const BESIDE: readonly string[] = ['eip155Block', 'mergeNetsplitBlock']

/** True for a geth genesis file, false for one of this node's own chain. */
export function isEthereumGenesis(text: string): boolean {
  const { config, app_state: ownState } = parseGenesis(text)
  return config !== undefined && ownState === undefined
}

function has(config: GenesisObject, name: string): boolean {
  return lookup(config, name) !== undefined && lookup(config, name) !== null
}

function readForks(config: GenesisObject): ForkActivation[] {
  for (const name of Object.keys(config)) {
    const isFork = /(Block|Time)$/.test(name) && has(config, name)
    if (isFork && !BESIDE.includes(name) && !FORK_MEMBERS.some(([, member]) => member === name)) {
      throw invalidGenesis(`config.${name}`, 'activates an unknown fork')
    }
    if (name === 'clique')
      throw invalidGenesis('config.clique', "names a consensus other than Ethereum's")
  }
  const forks: ForkActivation[] = [{ fork: 'Frontier', since: { block: 0n } }]
  for (const [fork, member] of FORK_MEMBERS) {
    if (!has(config, member)) continue
    if (fork === 'Dao' && config.daoForkSupport !== true) continue
    const value = readGenesisInteger(lookup(config, member), `config.${member}`, MAX_U256)
    if (member.endsWith('Block')) forks.push({ fork, since: { block: value } })
    else if (member.endsWith('Time')) forks.push({ fork, since: { time: value } })
    else forks.push({ fork, since: { totalDifficulty: value } })
  }
  checkForks(config, forks)
  return forks
}

function checkForks(config: GenesisObject, forks: readonly ForkActivation[]): void {
  if (has(config, 'eip155Block') && config.eip155Block !== config.eip158Block) {
    throw invalidGenesis('config.eip155Block', 'must equal eip158Block: the two are one fork')
  }
  const names = forks.map(({ fork }) => fork)
  if (names.includes('Shanghai') && !names.includes('Paris')) {
    throw invalidGenesis('config.terminalTotalDifficulty', 'is missing before config.shanghaiTime')
  }
  for (const unit of ['block', 'time'] as const) {
    let last = 0n
    for (const { fork, since } of forks) {
      const value = (since as Readonly<Record<string, bigint>>)[unit]
      if (value === undefined) continue
      if (value < last)
        throw invalidGenesis('config', `activates ${fork} before the fork that precedes it`)
      last = value
    }
  }
}

function readCheckpoints(config: GenesisObject, time: bigint): EthereumGenesis['checkpoints'] {
  const ascending = (suffix: string, after: bigint) => {
    const values = Object.entries(config)
      .filter(([name, value]) => name.endsWith(suffix) && value !== null)
      .map(([name, value]) => readGenesisInteger(value, `config.${name}`, MAX_U64))
      .filter((value) => value > after)
    return [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))
  }
  return { blocks: ascending('Block', 0n), times: ascending('Time', time) }
}

function readBlobSchedules(value: unknown): Map<ForkName, BlobSchedule> {
  const schedules = new Map<ForkName, BlobSchedule>()
  for (const [name, item] of Object.entries(
    readGenesisObject(value ?? {}, 'config.blobSchedule'),
  )) {
    const path = `config.blobSchedule.${name}`
    const fork = FORK_MEMBERS.find(([, member]) => member === `${name}Time`)?.[0]
    if (fork === undefined) throw invalidGenesis(path, 'names an unknown fork')
    const row = readGenesisObject(item, path)
    const count = (member: string) =>
      readGenesisInteger(lookup(row, member), `${path}.${member}`, MAX_U64)
    schedules.set(fork, {
      target: count('target'),
      max: count('max'),
      updateFraction: count('baseFeeUpdateFraction'),
    })
  }
  return schedules
}

function readNetwork(value: unknown): EthereumNetwork {
  const config = readGenesisObject(value, 'config')
  const deposits = config.depositContractAddress
  return {
    chainId: readGenesisInteger(config.chainId, 'config.chainId', MAX_U64),
    forks: readForks(config),
    blobSchedules: readBlobSchedules(config.blobSchedule),
    depositContract:
      deposits === undefined
        ? NO_ADDRESS
        : readBytes(deposits, 'config.depositContractAddress', 20),
  }
}

function readBytes(value: unknown, path: string, length: number): Uint8Array {
  return atGenesisPath(path, () => parseFixedData(readGenesisString(value, path), length))
}

/**
 * Returns the network, merged from block 0 on if a fork that follows the merge is active at its time. As in geth, the
 * terminal total difficulty then has no effect.
 */
function mergedAt(network: EthereumNetwork, timestamp: bigint): EthereumNetwork {
  const { forks } = network
  if (!forks.some(({ since }) => 'time' in since && since.time <= timestamp)) return network
  const merged = forks.map((activation) =>
    activation.fork === 'Paris' ? { ...activation, since: { totalDifficulty: 0n } } : activation,
  )
  return { ...network, forks: merged }
}

/**
 * Decodes a geth genesis.json.
 * @throws GENESIS_INVALID naming the JSON path.
 */
export function decodeEthereumGenesis(text: string): EthereumGenesis {
  const document = parseGenesis(text)
  const integer = (name: string, max: bigint, otherwise: bigint) =>
    has(document, name) ? readGenesisInteger(lookup(document, name), name, max) : otherwise
  const bytes = (name: string, length: number) =>
    has(document, name) ? readBytes(lookup(document, name), name, length) : new Uint8Array(length)
  const number = integer('number', MAX_U64, 0n)
  if (number !== 0n) throw invalidGenesis('number', `is ${number}, want 0`)
  const timestamp = integer('timestamp', MAX_U64, 0n)
  const network = mergedAt(readNetwork(document.config), timestamp)
  const difficulty = integer('difficulty', MAX_U256, DEFAULT_DIFFICULTY)
  const { revision } = rulesAt(network, { number, timestamp, parentTotalDifficulty: 0n })
  const since = <Value>(fork: typeof revision, value: () => Value) =>
    atLeast(revision, fork) ? value() : undefined
  const gasLimit = integer('gasLimit', MAX_U64, 0n)
  return {
    network,
    checkpoints: readCheckpoints(readGenesisObject(document.config, 'config'), timestamp),
    accounts: readAlloc(document.alloc ?? {}, 'alloc', readShortWord),
    header: {
      parentHash: bytes('parentHash', 32),
      ommersHash: NO_OMMERS_HASH,
      coinbase: bytes('coinbase', 20),
      transactionsRoot: EMPTY_LIST_ROOT,
      receiptsRoot: EMPTY_LIST_ROOT,
      logsBloom: new Uint8Array(BLOOM_BYTES),
      difficulty,
      number,
      gasLimit: gasLimit === 0n ? DEFAULT_GAS_LIMIT : gasLimit,
      gasUsed: integer('gasUsed', MAX_U64, 0n),
      timestamp,
      extraData: has(document, 'extraData')
        ? atGenesisPath('extraData', () =>
            parseData(readGenesisString(document.extraData, 'extraData')),
          )
        : EMPTY_BYTES,
      mixHash: bytes('mixHash', 32),
      nonce: bigintToBytes(integer('nonce', MAX_U64, 0n), 8),
      baseFeePerGas: since('London', () => integer('baseFeePerGas', MAX_U256, INITIAL_BASE_FEE)),
      withdrawalsRoot: since('Shanghai', () => EMPTY_LIST_ROOT),
      blobGasUsed: since('Cancun', () => integer('blobGasUsed', MAX_U64, 0n)),
      excessBlobGas: since('Cancun', () => integer('excessBlobGas', MAX_U64, 0n)),
      parentBeaconBlockRoot: since('Cancun', () => NOTHING),
      requestsHash: since('Prague', () => NO_REQUESTS_HASH),
      blockAccessListHash: since('Amsterdam', () => EMPTY_ACCESS_LIST_HASH),
      slotNumber: since('Amsterdam', () => integer('slotNumber', MAX_U64, 0n)),
    },
  }
}
