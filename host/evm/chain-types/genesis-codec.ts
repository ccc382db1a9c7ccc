import { sha256 } from '@noble/hashes/sha2.js'
import { formatBase64, parseBase64 } from '../../base/base64.ts'
import { compareBytes } from '../../base/bytes.ts'
import { formatData, hexDigits, parseFixedData } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { formatTime, parseTime } from '../../base/time.ts'
import { TRANSACTION_GAS } from './generated/gas.ts'
import type { FeeMarket, Genesis, GenesisAccount, GenesisValidator } from './genesis.ts'
import { formatBank, readBank } from './genesis-bank.ts'
import { formatAppHash, formatGenesisBlock, readGenesisStart } from './genesis-continued.ts'
import { formatDowntime, readDowntime } from './genesis-downtime.ts'
import {
  atGenesisPath,
  formatGenesisShare,
  type GenesisObject,
  invalidGenesis,
  MAX_U64,
  MAX_U256,
  objectOf,
  parseGenesis,
  readAlloc,
  readGenesisArray,
  readGenesisInteger,
  readGenesisObject,
  readGenesisSeconds,
  readGenesisShare,
  readGenesisString,
  requireKnownMembers,
} from './genesis-json.ts'
import { formatUpgrades, readUpgrades } from './genesis-upgrades.ts'
import { OWN_REVISIONS, type Revision } from './revision.ts'

/** CometBFT's type name of an ed25519 public key in JSON. */
const ED25519 = 'tendermint/PubKeyEd25519'

/** CometBFT's limits (`types/params.go`): maximum block bytes and total voting power. */
const MAX_BLOCK_BYTES = 100 * 1024 * 1024
const MAX_TOTAL_POWER = 2n ** 63n / 8n

/** Reads the development flag; false if absent. */
function readDevelopment(value: unknown, path: string): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    throw invalidGenesis(path, 'must be true or false')
  return value === true
}

function readFeeMarket(value: unknown, path: string): FeeMarket {
  const object = readGenesisObject(value, path)
  requireKnownMembers(object, path, [
    'initial_base_fee',
    'min_base_fee',
    'max_base_fee',
    'target_gas',
    'max_upward',
    'max_downward',
  ])
  const amount = (name: string) =>
    readGenesisInteger(lookup(object, name), `${path}.${name}`, MAX_U256)
  const share = (name: string) => readGenesisShare(lookup(object, name), `${path}.${name}`)
  const market: FeeMarket = {
    initialBaseFee: amount('initial_base_fee'),
    minBaseFee: amount('min_base_fee'),
    maxBaseFee: amount('max_base_fee'),
    targetGas: readGenesisInteger(object.target_gas, `${path}.target_gas`, MAX_U64),
    maxUpward: share('max_upward'),
    maxDownward: share('max_downward'),
  }
  if (market.minBaseFee > market.maxBaseFee) {
    throw invalidGenesis(`${path}.min_base_fee`, `is above max_base_fee (${market.maxBaseFee})`)
  }
  if (market.initialBaseFee < market.minBaseFee || market.initialBaseFee > market.maxBaseFee) {
    throw invalidGenesis(
      `${path}.initial_base_fee`,
      `is ${market.initialBaseFee}, outside min_base_fee to max_base_fee`,
    )
  }
  return market
}

function readValidator(value: unknown, path: string): GenesisValidator {
  const object = readGenesisObject(value, path)
  const key = readGenesisObject(object.pub_key, `${path}.pub_key`)
  if (key.type !== ED25519) throw invalidGenesis(`${path}.pub_key.type`, `must be "${ED25519}"`)
  const keyPath = `${path}.pub_key.value`
  const publicKey = atGenesisPath(keyPath, () => parseBase64(readGenesisString(key.value, keyPath)))
  if (publicKey.length !== 32)
    throw invalidGenesis(keyPath, `has ${publicKey.length} bytes, not 32`)
  const address = validatorAddress(publicKey)
  const stated = object.address ?? ''
  if (stated !== '' && readGenesisString(stated, `${path}.address`).toUpperCase() !== address) {
    throw invalidGenesis(
      `${path}.address`,
      `does not match the public key, whose address is ${address}`,
    )
  }
  const power = readGenesisInteger(object.power, `${path}.power`, BigInt(Number.MAX_SAFE_INTEGER))
  if (power === 0n) throw invalidGenesis(`${path}.power`, 'must be at least 1')
  return {
    publicKey,
    power: Number(power),
    name: readGenesisString(object.name ?? '', `${path}.name`),
  }
}

/** Reads `app_state.evm.staking`: the unbonding time, the rules of downtime, and each validator's operator. */
function readStaking(
  value: unknown,
  path: string,
  validators: readonly GenesisValidator[],
): Pick<Genesis, 'validators' | 'unbondingSeconds' | 'downtime'> {
  const object = readGenesisObject(value ?? {}, path)
  requireKnownMembers(object, path, ['unbonding_time', 'downtime', 'operators'])
  const operators = readGenesisObject(object.operators ?? {}, `${path}.operators`)
  requireKnownMembers(
    operators,
    `${path}.operators`,
    validators.map(({ publicKey }) => validatorAddress(publicKey)),
  )
  const time = object.unbonding_time
  const seconds =
    time === undefined ? undefined : readGenesisSeconds(time, `${path}.unbonding_time`)
  const downtime = readDowntime(object.downtime, `${path}.downtime`)
  const operated = validators.map((validator): GenesisValidator => {
    const address = validatorAddress(validator.publicKey)
    const operator = lookup(operators, address)
    const operatorPath = `${path}.operators.${address}`
    if (operator === undefined) return validator
    return {
      ...validator,
      operator: atGenesisPath(operatorPath, () =>
        parseFixedData(readGenesisString(operator, operatorPath), 20),
      ),
    }
  })
  const named = new Set(operated.map(({ operator }) => operator && hexDigits(operator)))
  named.delete(undefined)
  if (named.size !== Object.keys(operators).length) {
    throw invalidGenesis(`${path}.operators`, 'contain the same account twice')
  }
  return {
    validators: operated,
    ...(seconds === undefined ? {} : { unbondingSeconds: seconds }),
    ...(downtime === undefined ? {} : { downtime }),
  }
}

function formatStaking({ validators, unbondingSeconds, downtime }: Genesis): object | undefined {
  const operators = validators.flatMap(({ publicKey, operator }) =>
    operator === undefined ? [] : [[validatorAddress(publicKey), formatData(operator)]],
  )
  const members = {
    ...(unbondingSeconds === undefined ? {} : { unbonding_time: `${unbondingSeconds}s` }),
    ...formatDowntime(downtime),
    ...(operators.length === 0 ? {} : { operators: Object.fromEntries(operators) }),
  }
  return Object.keys(members).length === 0 ? undefined : members
}

/** Returns the validator's address in upper-case hex: the first 20 bytes of SHA-256 of its public key. */
function validatorAddress(publicKey: Uint8Array): string {
  return hexDigits(sha256(publicKey).subarray(0, 20)).toUpperCase()
}

/**
 * Decodes genesis.json: CometBFT's genesis document with our state in `app_state.evm`. Accounts and slots are sorted,
 * whatever their order in the file.
 * @throws GENESIS_INVALID naming the JSON path.
 */
export function decodeGenesis(text: string): Genesis {
  const document = parseGenesis(text)
  const chainName = readGenesisString(document.chain_id, 'chain_id')
  if (chainName === '' || chainName.length > 50) {
    throw invalidGenesis('chain_id', `"${chainName}" must have 1 to 50 characters`)
  }
  const consensus = readGenesisObject(document.consensus_params, 'consensus_params')
  const block = readGenesisObject(consensus.block, 'consensus_params.block')
  const maxBytes = readGenesisInteger(
    block.max_bytes,
    'consensus_params.block.max_bytes',
    BigInt(MAX_BLOCK_BYTES),
  )
  if (maxBytes === 0n)
    throw invalidGenesis('consensus_params.block.max_bytes', 'must be at least 1')

  const validators = readGenesisArray(document.validators ?? [], 'validators').map((validator, i) =>
    readValidator(validator, `validators[${i}]`),
  )
  const totalPower = validators.reduce((sum, { power }) => sum + BigInt(power), 0n)
  if (totalPower > MAX_TOTAL_POWER) {
    throw invalidGenesis(
      'validators',
      `have a total power of ${totalPower}, more than ${MAX_TOTAL_POWER}`,
    )
  }
  const keys = new Set(validators.map(({ publicKey }) => hexDigits(publicKey)))
  if (keys.size !== validators.length)
    throw invalidGenesis('validators', 'contain the same public key twice')

  const state = readGenesisObject(document.app_state, 'app_state')
  const path = 'app_state.evm'
  const evm = readGenesisObject(state.evm, path)
  requireKnownMembers(evm, path, [
    'chain_id',
    'genesis_block',
    'revision',
    'max_gas',
    'fee_market',
    'fee_collector',
    'development',
    'staking',
    'upgrades',
    'alloc',
  ])
  const begin = readGenesisStart(document, evm)
  const chainId = readGenesisInteger(evm.chain_id, `${path}.chain_id`, MAX_U64)
  if (chainId === 0n) throw invalidGenesis(`${path}.chain_id`, 'must be at least 1')
  const revision = readGenesisString(evm.revision, `${path}.revision`) as Revision
  if (!OWN_REVISIONS.includes(revision)) {
    throw invalidGenesis(
      `${path}.revision`,
      `"${revision}" is not one of ${OWN_REVISIONS.join(', ')}`,
    )
  }
  const denominations = readBank(state.bank)
  const upgrades = readUpgrades(evm.upgrades, `${path}.upgrades`)
  const accounts = readAlloc(evm.alloc ?? {}, `${path}.alloc`)
  if (begin.continued !== undefined && accounts.length > 0) {
    throw invalidGenesis(`${path}.alloc`, 'must be empty: a continued chain keeps its state')
  }
  const maxGas = readGenesisInteger(evm.max_gas, `${path}.max_gas`, MAX_U64)
  if (maxGas < TRANSACTION_GAS)
    throw invalidGenesis(`${path}.max_gas`, `is ${maxGas}, less than the gas of a transfer`)
  return {
    consensusChainId: chainName,
    time: atGenesisPath('genesis_time', () =>
      parseTime(readGenesisString(document.genesis_time, 'genesis_time')),
    ),
    ...begin,
    maxBlockBytes: Number(maxBytes),
    ...readStaking(evm.staking, `${path}.staking`, validators),
    params: {
      chainId,
      revision,
      maxGas,
      feeMarket: readFeeMarket(evm.fee_market, `${path}.fee_market`),
      feeCollector: atGenesisPath(`${path}.fee_collector`, () =>
        parseFixedData(readGenesisString(evm.fee_collector, `${path}.fee_collector`), 20),
      ),
      ...(readDevelopment(evm.development, `${path}.development`) && { isDevelopment: true }),
    },
    accounts,
    ...(upgrades.length === 0 ? {} : { upgrades }),
    ...(denominations.length === 0 ? {} : { denominations }),
  }
}

function formatAccount(account: GenesisAccount): GenesisObject {
  const storage = [...account.storage].sort((a, b) => compareBytes(a.slot, b.slot))
  return {
    balance: account.balance.toString(),
    ...(account.nonce === 0n ? {} : { nonce: account.nonce.toString() }),
    ...(account.code.length === 0 ? {} : { code: formatData(account.code) }),
    ...(storage.length === 0
      ? {}
      : {
          storage: objectOf(
            `app_state.evm.alloc["${formatData(account.address)}"].storage`,
            storage.map(({ slot, value }) => [formatData(slot), formatData(value)]),
          ),
        }),
  }
}

/**
 * Encodes genesis.json. Equal states give equal text, so its Keccak-256 serves as the hash of the genesis block:
 * members have a fixed order, accounts and slots are sorted.
 */
export function encodeGenesis(genesis: Genesis): string {
  const { params } = genesis
  const market = params.feeMarket
  const accounts = [...genesis.accounts].sort((a, b) => compareBytes(a.address, b.address))
  const staking = formatStaking(genesis)
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
    app_hash: formatAppHash(genesis.continued),
    app_state: {
      ...formatBank(genesis.denominations ?? []),
      evm: {
        chain_id: params.chainId.toString(),
        ...formatGenesisBlock(genesis.continued),
        revision: params.revision,
        max_gas: params.maxGas.toString(),
        fee_market: {
          initial_base_fee: market.initialBaseFee.toString(),
          min_base_fee: market.minBaseFee.toString(),
          max_base_fee: market.maxBaseFee.toString(),
          target_gas: market.targetGas.toString(),
          max_upward: formatGenesisShare(market.maxUpward),
          max_downward: formatGenesisShare(market.maxDownward),
        },
        fee_collector: formatData(params.feeCollector),
        ...(params.isDevelopment && { development: true }),
        ...(staking === undefined ? {} : { staking }),
        ...formatUpgrades(genesis.upgrades ?? []),
        alloc: objectOf(
          'app_state.evm.alloc',
          accounts.map((account) => [formatData(account.address), formatAccount(account)]),
        ),
      },
    },
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

/**
 * Encodes genesis.json for a file, after checking that `decodeGenesis` accepts it.
 * @throws GENESIS_INVALID naming the JSON path, INVALID_ARGUMENT if the time is outside the years 1 to 9999
 */
export function writableGenesis(genesis: Genesis): string {
  const text = encodeGenesis(genesis)
  decodeGenesis(text)
  return text
}
