import { sha256 } from '@noble/hashes/sha2.js'
import { formatBase64, parseBase64 } from '../base/base64.ts'
import { compareBytes } from '../base/bytes.ts'
import { LockstepError, messageOf } from '../base/error.ts'
import { formatData, hexDigits, parseData, parseFixedData } from '../base/hex.ts'
import { formatTime, parseTime } from '../base/time.ts'
import type { FeeMarket, Genesis, GenesisAccount, GenesisValidator } from './genesis.ts'
import { REVISIONS, type Revision } from './revision.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** CometBFT's type name of an ed25519 public key in JSON. */
const ED25519 = 'tendermint/PubKeyEd25519'

/** CometBFT's limits (`types/params.go`): bytes of a block, and the sum of all voting powers. */
const MAX_BLOCK_BYTES = 100 * 1024 * 1024
const MAX_TOTAL_POWER = 2n ** 63n / 8n

const SHARE_DIGITS = 18
const MAX_U64 = 2n ** 64n - 1n
const MAX_U256 = 2n ** 256n - 1n

function invalid(path: string, problem: string): LockstepError {
  return new LockstepError('GENESIS_INVALID', `genesis.json: ${path} ${problem}`, {
    data: { path },
  })
}

/** What `read` makes of a value; its error names the path. */
function at<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'GENESIS_INVALID') throw error
    throw invalid(path, `is invalid: ${messageOf(error)}`)
  }
}

function readObject(value: unknown, path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(path, 'must be an object')
  }
  return value as JsonObject
}

function readArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(path, 'must be an array')
  return value
}

function readString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalid(path, 'must be a string')
  return value
}

/** Refuses members outside `known`: a misspelt one would silently take its default. */
function onlyMembers(object: JsonObject, path: string, known: readonly string[]): void {
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) throw invalid(`${path}.${name}`, 'is not a known member')
  }
}

/** Integer in decimal or 0x hex, in a string; a JSON number where it is exact. */
function readInteger(value: unknown, path: string, max: bigint): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^(0[xX][0-9a-fA-F]+|[0-9]+)$/.test(text)) {
    throw invalid(path, 'must be an integer: decimal or 0x hex digits in a string')
  }
  const integer = BigInt(text)
  if (integer > max) throw invalid(path, `is ${integer}, more than ${max}`)
  return integer
}

/** Decimal fraction such as 0.0075, in parts of 10^18. */
function readShare(value: unknown, path: string): bigint {
  const match = /^(0|1)(?:\.([0-9]{1,18}))?$/.exec(readString(value, path))
  if (match === null) throw invalid(path, 'must be a decimal fraction from 0 to 1 in a string')
  const share = BigInt(`${match[1]}${(match[2] ?? '').padEnd(SHARE_DIGITS, '0')}`)
  if (share > 10n ** BigInt(SHARE_DIGITS)) throw invalid(path, 'is more than 1')
  return share
}

function formatShare(share: bigint): string {
  const digits = share.toString().padStart(SHARE_DIGITS + 1, '0')
  const fraction = digits.slice(-SHARE_DIGITS).replace(/0+$/, '')
  const whole = digits.slice(0, -SHARE_DIGITS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function readFeeMarket(value: unknown, path: string): FeeMarket {
  const object = readObject(value, path)
  onlyMembers(object, path, [
    'initial_base_fee',
    'min_base_fee',
    'max_base_fee',
    'target_gas',
    'max_upward',
    'max_downward',
  ])
  const amount = (name: string) => readInteger(object[name], `${path}.${name}`, MAX_U256)
  const share = (name: string) => readShare(object[name], `${path}.${name}`)
  const market: FeeMarket = {
    initialBaseFee: amount('initial_base_fee'),
    minBaseFee: amount('min_base_fee'),
    maxBaseFee: amount('max_base_fee'),
    targetGas: readInteger(object.target_gas, `${path}.target_gas`, MAX_U64),
    maxUpward: share('max_upward'),
    maxDownward: share('max_downward'),
  }
  if (market.minBaseFee > market.maxBaseFee) {
    throw invalid(`${path}.min_base_fee`, `is above max_base_fee (${market.maxBaseFee})`)
  }
  if (market.initialBaseFee < market.minBaseFee || market.initialBaseFee > market.maxBaseFee) {
    throw invalid(
      `${path}.initial_base_fee`,
      `is ${market.initialBaseFee}, outside min_base_fee to max_base_fee`,
    )
  }
  return market
}

function readAccount(key: string, value: unknown, path: string): GenesisAccount {
  const object = readObject(value, path)
  onlyMembers(object, path, ['balance', 'nonce', 'code', 'storage'])
  const storage = Object.entries(readObject(object.storage ?? {}, `${path}.storage`))
  return {
    // geth writes the addresses of an alloc without 0x, most tools with it.
    address: at(path, () => parseFixedData(key.startsWith('0x') ? key : `0x${key}`, 20)),
    balance: readInteger(object.balance ?? '0', `${path}.balance`, MAX_U256),
    nonce: readInteger(object.nonce ?? '0', `${path}.nonce`, MAX_U64),
    code: at(`${path}.code`, () => parseData(readString(object.code ?? '0x', `${path}.code`))),
    storage: storage
      .map(([slot, word]) => {
        const slotPath = `${path}.storage["${slot}"]`
        return at(slotPath, () => ({
          slot: parseFixedData(slot, 32),
          value: parseFixedData(readString(word, slotPath), 32),
        }))
      })
      .sort((a, b) => compareBytes(a.slot, b.slot)),
  }
}

function readAlloc(value: unknown, path: string): GenesisAccount[] {
  const accounts = Object.entries(readObject(value, path))
    .map(([key, account]) => readAccount(key, account, `${path}["${key}"]`))
    .sort((a, b) => compareBytes(a.address, b.address))
  for (let i = 1; i < accounts.length; i++) {
    const { address } = accounts[i] as GenesisAccount
    if (compareBytes(address, (accounts[i - 1] as GenesisAccount).address) === 0) {
      throw invalid(path, `names ${formatData(address)} twice`)
    }
  }
  return accounts
}

function readValidator(value: unknown, path: string): GenesisValidator {
  const object = readObject(value, path)
  const key = readObject(object.pub_key, `${path}.pub_key`)
  if (key.type !== ED25519) throw invalid(`${path}.pub_key.type`, `must be "${ED25519}"`)
  const keyPath = `${path}.pub_key.value`
  const publicKey = at(keyPath, () => parseBase64(readString(key.value, keyPath)))
  if (publicKey.length !== 32) throw invalid(keyPath, `has ${publicKey.length} bytes, not 32`)
  const address = validatorAddress(publicKey)
  const stated = object.address ?? ''
  if (stated !== '' && readString(stated, `${path}.address`).toUpperCase() !== address) {
    throw invalid(`${path}.address`, `is not that of the public key, ${address}`)
  }
  const power = readInteger(object.power, `${path}.power`, BigInt(Number.MAX_SAFE_INTEGER))
  if (power === 0n) throw invalid(`${path}.power`, 'must be at least 1')
  return {
    publicKey,
    power: Number(power),
    name: readString(object.name ?? '', `${path}.name`),
  }
}

/** Upper-case hex of a validator's address: the first 20 bytes of SHA-256 of its public key. */
function validatorAddress(publicKey: Uint8Array): string {
  return hexDigits(sha256(publicKey).subarray(0, 20)).toUpperCase()
}

/**
 * Reads genesis.json: CometBFT's genesis document with our state in `app_state.evm`. Accounts and slots
 * come out in ascending order, whatever their order in the file.
 * @throws GENESIS_INVALID naming the JSON path.
 */
export function decodeGenesis(text: string): Genesis {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw invalid('the document', `is not JSON: ${messageOf(error)}`)
  }
  const document = readObject(json, 'the document')
  const chainName = readString(document.chain_id, 'chain_id')
  if (chainName === '' || chainName.length > 50) {
    throw invalid('chain_id', `"${chainName}" must have 1 to 50 characters`)
  }
  const initialHeight = readInteger(document.initial_height ?? '1', 'initial_height', MAX_U64)
  // Height 0 holds the genesis state and heights are contiguous.
  if (initialHeight !== 1n) throw invalid('initial_height', `is ${initialHeight}, must be 1`)

  const consensus = readObject(document.consensus_params, 'consensus_params')
  const block = readObject(consensus.block, 'consensus_params.block')
  const maxBytes = readInteger(
    block.max_bytes,
    'consensus_params.block.max_bytes',
    BigInt(MAX_BLOCK_BYTES),
  )
  if (maxBytes === 0n) throw invalid('consensus_params.block.max_bytes', 'must be at least 1')

  const validators = readArray(document.validators ?? [], 'validators').map((validator, i) =>
    readValidator(validator, `validators[${i}]`),
  )
  const totalPower = validators.reduce((sum, { power }) => sum + BigInt(power), 0n)
  if (totalPower > MAX_TOTAL_POWER) {
    throw invalid('validators', `have ${totalPower} power in all, more than ${MAX_TOTAL_POWER}`)
  }
  const keys = new Set(validators.map(({ publicKey }) => hexDigits(publicKey)))
  if (keys.size !== validators.length) throw invalid('validators', 'name one public key twice')

  const state = readObject(document.app_state, 'app_state')
  const path = 'app_state.evm'
  const evm = readObject(state.evm, path)
  onlyMembers(evm, path, [
    'chain_id',
    'revision',
    'max_gas',
    'fee_market',
    'fee_collector',
    'alloc',
  ])
  const chainId = readInteger(evm.chain_id, `${path}.chain_id`, MAX_U64)
  if (chainId === 0n) throw invalid(`${path}.chain_id`, 'must be at least 1')
  const revision = readString(evm.revision, `${path}.revision`) as Revision
  if (!REVISIONS.includes(revision)) {
    throw invalid(`${path}.revision`, `"${revision}" is not one of ${REVISIONS.join(', ')}`)
  }
  const maxGas = readInteger(evm.max_gas, `${path}.max_gas`, MAX_U64)
  if (maxGas < 21_000n) throw invalid(`${path}.max_gas`, `is ${maxGas}, less than a transfer takes`)
  return {
    consensusChainId: chainName,
    time: at('genesis_time', () => parseTime(readString(document.genesis_time, 'genesis_time'))),
    initialHeight: 1,
    maxBlockBytes: Number(maxBytes),
    validators,
    params: {
      chainId,
      revision,
      maxGas,
      feeMarket: readFeeMarket(evm.fee_market, `${path}.fee_market`),
      feeCollector: at(`${path}.fee_collector`, () =>
        parseFixedData(readString(evm.fee_collector, `${path}.fee_collector`), 20),
      ),
    },
    accounts: readAlloc(evm.alloc ?? {}, `${path}.alloc`),
  }
}

function formatAccount(account: GenesisAccount): JsonObject {
  const storage = [...account.storage].sort((a, b) => compareBytes(a.slot, b.slot))
  return {
    balance: account.balance.toString(),
    ...(account.nonce === 0n ? {} : { nonce: account.nonce.toString() }),
    ...(account.code.length === 0 ? {} : { code: formatData(account.code) }),
    ...(storage.length === 0
      ? {}
      : {
          storage: Object.fromEntries(
            storage.map(({ slot, value }) => [formatData(slot), formatData(value)]),
          ),
        }),
  }
}

/**
 * Text of genesis.json. Equal states give equal text, so that its Keccak-256 hash can stand for the
 * genesis block: members in a fixed order, accounts and slots ascending.
 */
export function encodeGenesis(genesis: Genesis): string {
  const { params } = genesis
  const market = params.feeMarket
  const accounts = [...genesis.accounts].sort((a, b) => compareBytes(a.address, b.address))
  const document = {
    genesis_time: formatTime(genesis.time),
    chain_id: genesis.consensusChainId,
    initial_height: genesis.initialHeight.toString(),
    consensus_params: {
      block: { max_bytes: genesis.maxBlockBytes.toString(), max_gas: params.maxGas.toString() },
      evidence: {
        max_age_num_blocks: '100000',
        max_age_duration: '172800000000000',
        max_bytes: Math.min(genesis.maxBlockBytes, 1_048_576).toString(),
      },
      validator: { pub_key_types: ['ed25519'] },
      version: { app: '0' },
      abci: { vote_extensions_enable_height: '0' },
    },
    validators: genesis.validators.map((validator) => ({
      address: validatorAddress(validator.publicKey),
      pub_key: { type: ED25519, value: formatBase64(validator.publicKey) },
      power: validator.power.toString(),
      name: validator.name,
    })),
    app_hash: '',
    app_state: {
      evm: {
        chain_id: params.chainId.toString(),
        revision: params.revision,
        max_gas: params.maxGas.toString(),
        fee_market: {
          initial_base_fee: market.initialBaseFee.toString(),
          min_base_fee: market.minBaseFee.toString(),
          max_base_fee: market.maxBaseFee.toString(),
          target_gas: market.targetGas.toString(),
          max_upward: formatShare(market.maxUpward),
          max_downward: formatShare(market.maxDownward),
        },
        fee_collector: formatData(params.feeCollector),
        alloc: Object.fromEntries(
          accounts.map((account) => [formatData(account.address), formatAccount(account)]),
        ),
      },
    },
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}
