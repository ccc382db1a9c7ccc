import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { concatBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { openHasher } from '../../../host/node/commit-hasher.ts'
import {
  CREDIT,
  CREDITED,
  MINTED_GENESIS,
  type MintedChain,
  mintChain,
} from '../../support/chain/mint-chain.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../../support/node/daemon.ts'
import { post } from '../../support/node/json-rpc.ts'

let minted: MintedChain
beforeAll(async () => {
  minted = mintChain(await openHasher(), 40)
})

let home: string
let genesis: string
let file: string
beforeEach(() => {
  home = makeHome()
  genesis = join(home, 'network.json')
  file = join(home, 'chain.rlp')
  writeFileSync(genesis, MINTED_GENESIS)
  writeFileSync(file, concatBytes(minted.blocks))
})
afterEach(() => removeHome(home))

const importFile = (path: string, ...more: readonly string[]) =>
  runCommand(['import', path, '--home', home, ...more])

describe('export', () => {
  const exportTo = (path: string, ...more: readonly string[]) =>
    runCommand(['export', path, '--home', home, ...more])

  test('writes the imported blocks byte by byte, which another home imports again', async () => {
    expect((await importFile(file, '--genesis', genesis)).code).toBe(0)
    const part = join(home, 'part.rlp')
    expect(await exportTo(part, '--from', '1', '--to', '40')).toMatchObject({
      code: 0,
      stdout: `${part}\n`,
      stderr: 'Exported blocks 1 to 40\n',
    })
    expect(readFileSync(part).equals(readFileSync(file))).toBe(true)
    const few = join(home, 'few.rlp')
    expect((await exportTo(few, '--from', '17', '--to', '18')).code).toBe(0)
    expect(readFileSync(few).equals(concatBytes(minted.blocks.slice(16, 18)))).toBe(true)
    // As geth, by default from block 0
    const all = join(home, 'all.rlp')
    expect((await exportTo(all)).code).toBe(0)
    const other = makeHome()
    try {
      const args = ['import', all, '--home', other, '--genesis', genesis]
      expect(await runCommand(args)).toMatchObject({
        code: 0,
        stderr: 'Imported 40 blocks, 1 were already imported; the chain ends at block 40\n',
      })
    } finally {
      removeHome(other)
    }
  })

  test('refuses a file that exists, blocks that the home lacks, and invalid numbers', async () => {
    expect((await importFile(file, '--genesis', genesis)).code).toBe(0)
    const before = readFileSync(file)
    expect(await exportTo(file)).toMatchObject({
      code: 64,
      stderr: `Error: ${file} exists\nHint: name another file\n`,
    })
    expect(readFileSync(file).equals(before)).toBe(true)
    const path = join(home, 'new.rlp')
    for (const [from, to] of [
      ['41', 'latest'],
      ['3', '41'],
      ['9', '8'],
    ] as const) {
      const { code, stderr } = await exportTo(path, '--from', from, '--to', to)
      expect(code).toBe(64)
      expect(stderr).toContain('cannot be exported: the home has blocks 0 to 40\n')
    }
    expect((await exportTo(path, '--from', '-1')).stderr).toContain(
      'Error: --from is -1, not the number of a block\n',
    )
    expect((await exportTo(join(home, 'none', 'new.rlp'))).stderr).toMatch(
      /^Error: cannot write .*new\.rlp: ENOENT/,
    )
    expect(readdirSync(home).filter((name) => /new|partial/.test(name))).toEqual([])
  })
})

describe('import', () => {
  test('imports a chain and serves it read-only', async () => {
    const { code, stdout, stderr } = await importFile(file, '--genesis', genesis)
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Imported 40 blocks; the chain ends at block 40\n',
    })
    expect(readFileSync(join(home, 'config', 'app.toml'), 'utf8')).toContain('ss-keep-recent = 0\n')
    const daemon = await startDaemon({ home, dev: false })
    try {
      const { rpc } = daemon.ready
      expect(daemon.output()).toContain('serving an imported chain read-only: it makes no blocks')
      expect(daemon.output()).not.toContain('Consensus RPC')
      const ask = async (method: string, ...params: unknown[]) => {
        const { result, error } = await post(rpc, method, params)
        return result ?? error
      }
      expect(await ask('eth_chainId')).toBe('0x1092')
      expect(await ask('eth_blockNumber')).toBe('0x28')
      expect(await ask('eth_getBlockByNumber', '0x3', false)).toMatchObject({
        hash: formatData(minted.hashes[2] as Uint8Array),
        withdrawals: [
          { index: '0x3', validatorIndex: '0x7', address: formatData(CREDITED), amount: '0x3' },
        ],
      })
      // Each height has its own state.
      for (const height of [0n, 1n, 17n, 40n]) {
        const balance = await ask(
          'eth_getBalance',
          formatData(CREDITED),
          `0x${height.toString(16)}`,
        )
        expect(BigInt(balance as string)).toBe(1n + height * CREDIT * 10n ** 9n)
      }
      expect(await ask('debug_getRawBlock', '0x11')).toBe(
        formatData(minted.blocks[16] as Uint8Array),
      )
      expect(await ask('eth_sendRawTransaction', '0x02')).toEqual({
        code: -32000,
        message: 'an imported chain does not accept transactions',
      })
    } finally {
      expect(await daemon.stop()).toBe(0)
    }
  })

  test('resumes an interrupted import and changes nothing when it is run again', async () => {
    const head = join(home, 'head.rlp')
    writeFileSync(head, concatBytes(minted.blocks.slice(0, 15)))
    expect((await importFile(head, '--genesis', genesis)).code).toBe(0)
    expect((await importFile(file)).stderr).toBe(
      'Imported 25 blocks, 15 were already imported; the chain ends at block 40\n',
    )
    expect((await importFile(file, '--genesis', genesis)).stderr).toBe(
      'Imported 0 blocks, 40 were already imported; the chain ends at block 40\n',
    )
  })

  test('names the first invalid block and the broken rule, and does not store that block', async () => {
    const broken = (minted.blocks[20] as Uint8Array).slice()
    // The state root follows two hashes and the fee recipient.
    broken[3 + 3 + 33 + 33 + 21 + 5] = 0x55
    writeFileSync(file, concatBytes([...minted.blocks.slice(0, 20), broken]))
    const { code, stderr } = await importFile(file, '--genesis', genesis)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'Imported 20 blocks; the chain ends at block 20\n' +
        'Error: block 21 is invalid: wrong state root\n' +
        "Hint: check the block and the network's rules\n",
    })
    writeFileSync(file, concatBytes(minted.blocks))
    expect((await importFile(file)).stderr).toBe(
      'Imported 20 blocks, 20 were already imported; the chain ends at block 40\n',
    )
  })

  test.each([
    ['ends within a block', (whole: Uint8Array) => whole.subarray(0, whole.length - 1)],
    ['holds a string', () => Uint8Array.of(0x83, 1, 2, 3)],
    ['claims a block of exabytes', () => Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)],
    ['skips a block', () => concatBytes([minted.blocks[0], minted.blocks[2]] as Uint8Array[])],
  ])(
    'refuses a file that %s',
    async (_, change) => {
      writeFileSync(file, change(concatBytes(minted.blocks)))
      const { code, stderr } = await importFile(file, '--genesis', genesis)
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /Error: (block 3 is invalid: it cannot follow block 1|.*chain\.rlp is not a file of blocks at byte \d+: .*)\n/,
      )
    },
    180_000,
  )

  test('refuses a missing file, and an import without its genesis or with another one', async () => {
    expect(await importFile(file)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("Hint: pass the chain's genesis.json with --genesis"),
    })
    expect(await importFile(join(home, 'absent'), '--genesis', genesis)).toMatchObject({ code: 64 })
    expect((await importFile(file, '--genesis', genesis)).code).toBe(0)
    writeFileSync(genesis, MINTED_GENESIS.replace('4242', '4243'))
    expect(await importFile(file, '--genesis', genesis)).toMatchObject({ code: 64 })
  })
})
