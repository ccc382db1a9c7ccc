import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { DEV_ACCOUNTS } from '../../../../host/base/dev-accounts.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import { create2DeployerAccount } from '../../../../host/evm/chain-types/create2-deployer.ts'
import type { Genesis, GenesisDenomination } from '../../../../host/evm/chain-types/genesis.ts'
import { decodeGenesis, encodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { multicall3Account } from '../../../../host/evm/chain-types/multicall3.ts'
import {
  paymentTokenAccount,
  paymentTokenOf,
} from '../../../../host/evm/chain-types/payment-token.ts'
import { OWN_REVISIONS } from '../../../../host/evm/chain-types/revision.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'

const VALIDATOR = {
  publicKey: Uint8Array.from({ length: 32 }, (_, i) => i),
  power: 10,
  name: 'node0',
}
const TIME = 1_700_000_000_123_456_789n
const DOWNTIME = {
  signed_blocks_window: '100',
  min_signed_per_window: '0.5',
  downtime_jail_duration: '600s',
}
const dev = presetGenesis('dev', { time: TIME, validators: [VALIDATOR] })

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
const share = fc.bigInt({ min: 0n, max: 10n ** 18n })
const unique = (length: number, maxLength: number) =>
  fc
    .uniqueArray(uint(length * 8), { maxLength })
    .map((keys) => keys.sort((a, b) => (a < b ? -1 : 1)).map((key) => bigintToBytes(key, length)))

const denominations: fc.Arbitrary<GenesisDenomination[]> = fc
  .uniqueArray(
    fc.record({
      denomination: fc
        .stringMatching(/^[a-zA-Z][a-zA-Z0-9/:._-]{2,20}$/)
        .filter((name) => name !== 'usei'),
      name: fc.string({ maxLength: 30 }),
      symbol: fc.string({ maxLength: 30 }),
      decimals: fc.nat(255),
      pointer: fc.option(bytes(20), { nil: undefined }),
      balances: fc
        .tuple(unique(20, 3), uint(200))
        .map(([owners, amount]) => owners.map((address) => ({ address, amount }))),
    }),
    { maxLength: 3, selector: ({ denomination }) => denomination },
  )
  .map((rows) => rows.sort((a, b) => (a.denomination < b.denomination ? -1 : 1)))

const genesis: fc.Arbitrary<Genesis> = fc
  .record({
    consensusChainId: fc.string({ minLength: 1, maxLength: 50 }),
    time: fc.bigInt({ min: 0n, max: 4_000_000_000_000_000_000n }),
    maxBlockBytes: fc.integer({ min: 1, max: 104_857_600 }),
    publicKey: bytes(32),
    power: fc.integer({ min: 1, max: 1_000_000 }),
    isOperated: fc.boolean(),
    upgradeHeights: fc.uniqueArray(fc.integer({ min: 1, max: 999_999_999 }), { maxLength: 3 }),
    unbonding: fc.option(fc.integer({ min: 0, max: 9_999_999_999 }), { nil: undefined }),
    downtime: fc.option(
      fc.record({
        window: fc.integer({ min: 1, max: 100_000 }),
        minSigned: share,
        jailSeconds: fc.integer({ min: 0, max: 9_999_999_999 }),
      }),
      { nil: undefined },
    ),
    chainId: uint(64).map((id) => id || 1n),
    revision: fc.constantFrom(...OWN_REVISIONS),
    maxGas: fc.bigInt({ min: 21_000n, max: 2n ** 64n - 1n }),
    fees: fc.tuple(uint(100), uint(100), uint(100)),
    targetGas: uint(64),
    shares: fc.tuple(share, share),
    feeCollector: bytes(20),
    isDevelopment: fc.boolean(),
    addresses: unique(20, 5),
    slots: unique(32, 4),
    balance: uint(256),
    nonce: uint(64),
    code: fc.uint8Array({ maxLength: 40 }),
    denominations,
  })
  .map((parts) => {
    const [low, middle, high] = [...parts.fees].sort((a, b) => (a < b ? -1 : 1)) as [
      bigint,
      bigint,
      bigint,
    ]
    return {
      consensusChainId: parts.consensusChainId,
      time: parts.time,
      initialHeight: 1,
      maxBlockBytes: parts.maxBlockBytes,
      validators: [
        {
          publicKey: parts.publicKey,
          power: parts.power,
          name: 'validator',
          ...(parts.isOperated ? { operator: parts.feeCollector } : {}),
        },
      ],
      ...(parts.unbonding === undefined ? {} : { unbondingSeconds: parts.unbonding }),
      ...(parts.downtime === undefined ? {} : { downtime: parts.downtime }),
      params: {
        chainId: parts.chainId,
        revision: parts.revision,
        maxGas: parts.maxGas,
        feeMarket: {
          initialBaseFee: middle,
          minBaseFee: low,
          maxBaseFee: high,
          targetGas: parts.targetGas,
          maxUpward: parts.shares[0],
          maxDownward: parts.shares[1],
        },
        feeCollector: parts.feeCollector,
        ...(parts.isDevelopment ? { isDevelopment: true } : {}),
      },
      ...(parts.upgradeHeights.length > 0 && {
        upgrades: parts.upgradeHeights
          .sort((a, b) => a - b)
          .map((height) => ({ name: `v${height}`, height })),
      }),
      accounts: parts.addresses.map((address) => ({
        address,
        balance: parts.balance,
        nonce: parts.nonce,
        code: parts.code,
        storage: parts.slots.map((slot) => ({ slot, value: slot })),
      })),
      // An empty list of denominations is encoded as an absent member.
      ...(parts.denominations.length > 0 && { denominations: parts.denominations }),
    }
  })

describe('genesis.json', () => {
  test('survives encoding to text and decoding', () => {
    fc.assert(
      fc.property(genesis, (value) => {
        expect(decodeGenesis(encodeGenesis(value))).toEqual(value)
      }),
    )
  })

  test('of a continued chain has its height, its app hash and its genesis block', () => {
    const continued = {
      appHash: new Uint8Array(32).fill(0xab),
      genesisBlock: new Uint8Array(32).fill(1),
    }
    const value = { ...dev, accounts: [], initialHeight: 5, continued }
    const document = JSON.parse(encodeGenesis(value))
    expect([document.initial_height, document.app_hash]).toEqual(['5', 'AB'.repeat(32)])
    expect(document.app_state.evm.genesis_block).toBe(`0x${'01'.repeat(32)}`)
    expect(decodeGenesis(encodeGenesis(value))).toEqual(value)
  })

  test('is the same text for the same state in another order', () => {
    const reversed = { ...dev, accounts: [...dev.accounts].reverse() }
    expect(encodeGenesis(reversed)).toBe(encodeGenesis(dev))
  })

  test('is a CometBFT genesis document around app_state.evm', () => {
    const document = JSON.parse(encodeGenesis(dev))
    expect(Object.keys(document)).toEqual([
      'genesis_time',
      'chain_id',
      'initial_height',
      'consensus_params',
      'validators',
      'app_hash',
      'app_state',
    ])
    expect(document.genesis_time).toBe('2023-11-14T22:13:20.123456789Z')
    expect(document.validators).toEqual([
      {
        // First 20 bytes of the SHA-256 of the bytes 0 to 31.
        address: '630DCD2966C4336691125448BBB25B4FF412A49C',
        pub_key: {
          type: 'tendermint/PubKeyEd25519',
          value: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
        },
        power: '10',
        name: 'node0',
      },
    ])
    expect(document.app_state.evm.fee_market.max_upward).toBe('0.0189')
  })

  test("accepts geth's alloc: addresses without 0x and balances in hex", () => {
    const document = JSON.parse(encodeGenesis(dev))
    document.app_state.evm.alloc = {
      '000000000000000000000000000000000000000b': { balance: '0x10', nonce: '0x2', code: '0x60' },
      '0x000000000000000000000000000000000000000A': { balance: '7' },
    }
    const { accounts } = decodeGenesis(JSON.stringify(document))
    expect(accounts.map(({ address }) => address[19])).toEqual([10, 11])
    expect(accounts.map(({ balance }) => balance)).toEqual([7n, 16n])
    expect(accounts[1]).toMatchObject({ nonce: 2n, code: Uint8Array.of(0x60) })
  })

  type Document = Record<string, never> & {
    app_state: { evm: Record<string, never> & { alloc: Record<string, unknown> } }
  }
  // biome-ignore lint/suspicious/noExplicitAny: the point is to write what the types forbid
  const damage = (change: (document: any) => void): string => {
    const document = JSON.parse(encodeGenesis(dev)) as Document
    change(document)
    return JSON.stringify(document)
  }
  const address = DEV_ACCOUNTS[0]?.address.toLowerCase() as string

  test.each([
    ['{', 'genesis.json: the document is not JSON: '],
    ['[]', 'genesis.json: the document must be an object'],
    [damage((d) => delete d.chain_id), 'genesis.json: chain_id must be a string'],
    [
      damage((d) => {
        d.chain_id = 'x'.repeat(51)
      }),
      `genesis.json: chain_id "${'x'.repeat(51)}" must have 1 to 50 characters`,
    ],
    [
      damage((d) => {
        d.initial_height = '0'
      }),
      'genesis.json: initial_height is 0, want 1 or the first height of a continued chain',
    ],
    [
      damage((d) => {
        d.initial_height = '5'
      }),
      'genesis.json: app_hash must be that of the chain that continues at initial_height 5',
    ],
    [
      damage((d) => {
        d.app_hash = 'AB'.repeat(32)
      }),
      'genesis.json: app_hash must be empty if initial_height is 1',
    ],
    [
      damage((d) => {
        Object.assign(d, { initial_height: '5', app_hash: 'AB'.repeat(32) })
      }),
      'genesis.json: app_state.evm.genesis_block must be that of the chain that continues at initial_height 5',
    ],
    [
      damage((d) => {
        Object.assign(d, { initial_height: '5', app_hash: 'AB' })
        d.app_state.evm.genesis_block = `0x${'cd'.repeat(32)}`
      }),
      'genesis.json: app_hash "AB" is not 64 hex digits',
    ],
    [
      damage((d) => {
        Object.assign(d, { initial_height: '5', app_hash: 'AB'.repeat(32) })
        d.app_state.evm.genesis_block = `0x${'cd'.repeat(32)}`
      }),
      'genesis.json: app_state.evm.alloc must be empty: a continued chain keeps its state',
    ],
    [
      damage((d) => {
        d.genesis_time = '2026-02-30T00:00:00Z'
      }),
      'genesis.json: genesis_time is invalid: "2026-02-30T00:00:00Z" is not an RFC 3339 time in UTC',
    ],
    [
      damage((d) => {
        d.validators[0].power = '0'
      }),
      'genesis.json: validators[0].power must be at least 1',
    ],
    [
      damage((d) => {
        d.validators[0].address = '00'.repeat(20)
      }),
      'genesis.json: validators[0].address does not match the public key, whose address is 630DCD2966C4336691125448BBB25B4FF412A49C',
    ],
    [
      damage((d) => {
        d.validators.push(d.validators[0])
      }),
      'genesis.json: validators contain the same public key twice',
    ],
    [damage((d) => delete d.app_state.evm), 'genesis.json: app_state.evm must be an object'],
    ...(
      [
        [
          '1x',
          {},
          ' is not a denomination: write 3 to 128 letters, digits and /:._- that start with a letter',
        ],
        ['usei', {}, ' is the native denomination: write its balances in app_state.evm.alloc'],
        ['uatom', { desimals: 6 }, '.desimals is not a known member'],
        ['uatom', { decimals: 256 }, '.decimals is 256, more than 255'],
        ['uatom', { pointer: '0x12' }, '.pointer is invalid: '],
        ['uatom', { name: 'x'.repeat(129) }, '.name has 129 bytes, more than 128'],
        ['uatom', { balances: { [address]: '-1' } }, `.balances["${address}"] must be an integer`],
        [
          'uatom',
          { balances: { [address]: '1', [address.toUpperCase().replace('0X', '0x')]: '1' } },
          `.balances names ${address} twice`,
        ],
      ] as const
    ).map(([name, value, text]): [string, string] => [
      damage((d) => {
        d.app_state.bank = { denominations: { [name]: value } }
      }),
      `genesis.json: app_state.bank.denominations["${name}"]${text}`,
    ]),
    [
      damage((d) => {
        d.app_state.evm.revision = 'Verkle'
      }),
      'genesis.json: app_state.evm.revision "Verkle" is not one of Frontier',
    ],
    [
      damage((d) => {
        d.app_state.evm.development = 'yes'
      }),
      'genesis.json: app_state.evm.development must be true or false',
    ],
    [
      damage((d) => {
        d.app_state.evm.upgrades = ['v2@9', 'V3@10']
      }),
      'genesis.json: app_state.evm.upgrades[1] "V3@10" is not a plan such as v2@100000',
    ],
    [
      damage((d) => {
        d.app_state.evm.upgrades = ['v2@9', 'v3@9']
      }),
      'genesis.json: app_state.evm.upgrades contain a name or a height twice',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { unbonding_time: '21d' }
      }),
      'genesis.json: app_state.evm.staking.unbonding_time must be seconds such as "1814400s"',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { downtime: { ...DOWNTIME, signed_blocks_window: '100001' } }
      }),
      'genesis.json: app_state.evm.staking.downtime.signed_blocks_window is 100001, more than 100000',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { downtime: { ...DOWNTIME, signed_blocks_window: '0' } }
      }),
      'genesis.json: app_state.evm.staking.downtime.signed_blocks_window must be at least 1',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { downtime: { ...DOWNTIME, min_signed_per_window: '1.5' } }
      }),
      'genesis.json: app_state.evm.staking.downtime.min_signed_per_window is more than 1',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { downtime: { signed_blocks_window: '100' } }
      }),
      'genesis.json: app_state.evm.staking.downtime.min_signed_per_window must be a string',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { downtime: { ...DOWNTIME, slash_fraction_downtime: '0.01' } }
      }),
      'genesis.json: app_state.evm.staking.downtime.slash_fraction_downtime is not a known member',
    ],
    [
      damage((d) => {
        d.app_state.evm.staking = { operators: { ['00'.repeat(20)]: `0x${'11'.repeat(20)}` } }
      }),
      `genesis.json: app_state.evm.staking.operators.${'00'.repeat(20)} is not a known member`,
    ],
    [
      damage((d) => {
        d.app_state.evm.staking.operators['630DCD2966C4336691125448BBB25B4FF412A49C'] = '0x11'
      }),
      'genesis.json: app_state.evm.staking.operators.630DCD2966C4336691125448BBB25B4FF412A49C is invalid: hex string',
    ],
    [
      damage((d) => {
        d.app_state.evm.maxgas = '1'
      }),
      'genesis.json: app_state.evm.maxgas is not a known member',
    ],
    [
      damage((d) => {
        d.app_state.evm.fee_market.max_upward = '1.5'
      }),
      'genesis.json: app_state.evm.fee_market.max_upward is more than 1',
    ],
    [
      damage((d) => {
        d.app_state.evm.fee_market.initial_base_fee = '1'
      }),
      'genesis.json: app_state.evm.fee_market.initial_base_fee is 1, outside',
    ],
    [
      damage((d) => {
        d.app_state.evm.alloc[address].balance = '-1'
      }),
      `genesis.json: app_state.evm.alloc["${address}"].balance must be an integer`,
    ],
    [
      damage((d) => {
        d.app_state.evm.alloc[address].balance = `0x1${'0'.repeat(64)}`
      }),
      `genesis.json: app_state.evm.alloc["${address}"].balance is ${2n ** 256n}, more than`,
    ],
    [
      damage((d) => {
        d.app_state.evm.alloc[address].code = '0x6'
      }),
      `genesis.json: app_state.evm.alloc["${address}"].code is invalid: hex string of odd length`,
    ],
    [
      damage((d) => {
        d.app_state.evm.alloc[address].storage = { '0x01': '0x02' }
      }),
      `genesis.json: app_state.evm.alloc["${address}"].storage["0x01"] is invalid: hex string has length 2`,
    ],
    [
      damage((d) => {
        d.app_state.evm.alloc[address.slice(2)] = { balance: '1' }
      }),
      `genesis.json: app_state.evm.alloc names ${address} twice`,
    ],
    [
      damage((d) => {
        d.app_state.evm.alloc['0x12'] = {}
      }),
      'genesis.json: app_state.evm.alloc["0x12"] is invalid: hex string has length 2',
    ],
  ])('%# is refused with the path: %s', (text, message) => {
    expect(() => decodeGenesis(text)).toThrow(
      expect.objectContaining({
        code: 'GENESIS_INVALID',
        message: expect.stringContaining(message),
      }),
    )
  })
})

describe('a preset', () => {
  test('dev funds the ten accounts of the test mnemonic with 10,000 native tokens each', () => {
    expect(dev.params).toMatchObject({ chainId: 31337n, revision: 'Prague', maxGas: 100_000_000n })
    expect(dev.accounts).toHaveLength(13)
    for (let i = 0; i < 10; i++) {
      const wallet = devAccount(i)
      const known = DEV_ACCOUNTS[i]
      expect(known?.address).toBe(wallet.address)
      expect(known?.privateKey).toBe(formatData(wallet.getHdKey().privateKey as Uint8Array))
      expect(dev.accounts[i]).toMatchObject({ balance: 10_000n * 10n ** 18n, nonce: 0n })
    }
  })

  test('dev accepts another chain id', () => {
    const { consensusChainId, params } = presetGenesis('dev', {
      time: TIME,
      validators: [],
      chainId: 1329n,
    })
    expect([consensusChainId, params.chainId]).toEqual(['1329', 1329n])
  })

  test.each([
    [31337n, '0x4020000000000000000000000000000000000402'],
    [1329n, '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392'],
    [1328n, '0x4fCF1784B31630811181f670Aea7A7bEF803eaED'],
  ])('dev with chain id %i has the payment token at address %s', (chainId, address) => {
    const { accounts } = presetGenesis('dev', { time: TIME, validators: [], chainId })
    const contracts = accounts.filter(({ code }) => code.length > 0)
    expect(contracts).toEqual([
      paymentTokenAccount(chainId),
      multicall3Account(),
      create2DeployerAccount(),
    ])
    expect(paymentTokenOf(chainId)).toBe(address)
    expect(contracts[0]).toMatchObject({ address: parseData(address), nonce: 1n })
  })

  test('changes only the balance of an account that already has state', () => {
    const address = parseData(paymentTokenOf(31337n))
    const { accounts } = presetGenesis('dev', {
      time: TIME,
      validators: [],
      funds: [{ address, balance: 5n }],
    })
    expect(accounts).toHaveLength(13)
    expect(accounts.at(-3)).toEqual({ ...paymentTokenAccount(31337n), balance: 5n })
  })

  test.each(['1328', '1329'] as const)('%s has the live parameters and no accounts', (name) => {
    const { consensusChainId, params, accounts } = presetGenesis(name, {
      time: TIME,
      validators: [VALIDATOR],
    })
    expect(consensusChainId).toBe(name)
    expect(accounts).toEqual([])
    expect(params).toMatchObject({
      chainId: BigInt(name),
      revision: 'Prague',
      maxGas: 12_500_000n,
      feeMarket: { minBaseFee: 50_000_000_000n, targetGas: 850_000n },
    })
  })
})
