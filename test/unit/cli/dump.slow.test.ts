import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blake3 } from '@noble/hashes/blake3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'
import { openCommitter } from '../../../host/storage/commit/lmdb-committer.ts'
import { openStorage } from '../../../host/storage/store/open-storage.ts'
import { buildCommitModule } from '../../support/engine/commit-module.ts'
import { makeHome, removeHome, runCommand } from '../../support/node/daemon.ts'
import { MAIN } from '../../support/node/main-file.ts'
import { ONLY_PROGRESS } from '../../support/node/progress-lines.ts'
import { runProgram } from '../../support/program.ts'
import { runSeed } from '../../support/random.ts'
import { RandomChain } from '../chain/snapshot/random-chain.ts'
import { SEPARATE, storageOptions } from '../chain/snapshot/snapshot-home.ts'
import { sha256 } from '../storage/commit/commit-oracle.ts'

const TOOL = fileURLToPath(new URL('../../../host/cli/dump-main.ts', import.meta.url))
const HEIGHT = 40
const seed = runSeed()

const home = makeHome()
afterAll(() => removeHome(home))
const committerDir = join(home, 'data', 'committer.db')

/** App hashes, indexed by height. */
const appHashes: string[] = []

beforeAll(async () => {
  mkdirSync(join(home, 'config'))
  writeFileSync(
    join(home, 'config', 'app.toml'),
    '[state-store]\nevm-ss-split = true\nevm-ss-separate-dbs = true\n',
  )
  const module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  const chain = new RandomChain(seed, new CommitHasher(module))
  const storage = await openStorage(storageOptions(join(home, 'data'), SEPARATE))
  const committer = await openCommitter({ dir: committerDir, module, keepRecent: 10 })
  for (let height = 0; height <= HEIGHT; height++) {
    const { record } = chain.next(committer.appHash)
    await committer.stage(record.changeset)
    await storage.append(record)
    await committer.commit()
    appHashes.push(Buffer.from(committer.appHash).toString('hex').toUpperCase())
  }
  await committer.close()
  await storage.close()
})

function runTool(...args: readonly string[]) {
  return runProgram([process.execPath, TOOL, ...args])
}

const HEAD = /^Tree (\S+) has version (\d+) and root hash: ([0-9A-F]{64}) $/

interface DumpFile {
  readonly name: string
  readonly version: number
  readonly root: Buffer
  readonly rows: readonly (readonly [key: Buffer, value: Buffer])[]
}

function readDump(folder: string, name: string): DumpFile {
  const [head = '', ...lines] = readFileSync(join(folder, name), 'utf8')
    .replace(/\n$/, '')
    .split('\n')
  const found = HEAD.exec(head)
  expect(found?.[1]).toBe(name)
  const rows = lines.map((line) => {
    const row = /^Key: ([0-9A-F]*), Value: ([0-9A-F]*) ?$/.exec(line)
    if (row === null) throw new Error(line)
    return [Buffer.from(row[1] ?? '', 'hex'), Buffer.from(row[2] ?? '', 'hex')] as const
  })
  return { name, version: Number(found?.[2]), root: Buffer.from(found?.[3] ?? '', 'hex'), rows }
}

/** Returns the lattice hash of rows as specified: sums of 16-bit words of BLAKE3 outputs of 2,048 bytes. */
function latticeOf(rows: DumpFile['rows']): Uint16Array {
  const sum = new Uint16Array(1024)
  for (const [key, value] of rows) {
    const lengths = [key, value].map((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(part.length)
      return length
    })
    const element = Buffer.concat([lengths[0] as Buffer, key, lengths[1] as Buffer, value])
    const limbs = Buffer.from(blake3(element, { dkLen: 2048 }))
    for (let i = 0; i < 1024; i++) sum[i] = (sum[i] as number) + limbs.readUInt16LE(2 * i)
  }
  return sum
}

const rootOf = (lattice: Uint16Array): Buffer =>
  Buffer.from(blake3(new Uint8Array(lattice.buffer), { dkLen: 32 }))

function merkle(items: readonly Buffer[]): Buffer {
  if (items.length === 1) return sha256(Buffer.of(0), items[0] as Buffer)
  let half = 1
  while (2 * half < items.length) half *= 2
  return sha256(Buffer.of(1), merkle(items.slice(0, half)), merkle(items.slice(half)))
}

/** Returns the app hash over the roots of stores. */
function appHashOf(stores: readonly { readonly name: string; readonly root: Buffer }[]): string {
  const sorted = [...stores].sort((a, b) => (a.name < b.name ? -1 : 1))
  const items = sorted.map(({ name, root }) =>
    Buffer.concat([
      Buffer.of(name.length),
      Buffer.from(name),
      Buffer.of(32),
      createHash('sha256').update(root).digest(),
    ]),
  )
  return merkle(items).toString('hex').toUpperCase()
}

test(`the app hash follows from the dump files, whose rows hash to their roots (LOCKSTEP_SEED=${seed})`, async () => {
  const folder = join(home, 'dump')
  const iavl = await runTool('dump-iavl', '-d', committerDir, '-o', folder)
  expect(iavl).toMatchObject({ code: 0, stderr: ONLY_PROGRESS })
  const modules = readdirSync(folder)
  expect(modules).toEqual(['bank', 'params', 'staking'])
  const trees = modules.map((name) => readDump(folder, name))
  for (const { version, rows } of trees) {
    expect(version).toBe(HEIGHT)
    const keys = rows.map(([key]) => key.toString('hex'))
    expect(keys).toEqual([...keys].sort())
  }
  const flatFolder = join(home, 'flat')
  const flat = await runTool('dump-flatkv', '-d', committerDir, '-o', flatFolder, '--lthash')
  expect(flat).toMatchObject({ code: 0, stderr: ONLY_PROGRESS })
  expect(readdirSync(flatFolder)).toEqual(['account', 'code', 'lthash', 'misc', 'storage'])
  const total = new Uint16Array(1024)
  for (const name of ['account', 'code', 'storage', 'misc']) {
    const { root, rows } = readDump(flatFolder, name)
    const lattice = latticeOf(rows)
    expect(rootOf(lattice)).toEqual(root)
    for (let i = 0; i < 1024; i++) total[i] = (total[i] as number) + (lattice[i] as number)
  }
  const evm = { name: 'evm_lattice', root: rootOf(total) }
  expect(readFileSync(join(flatFolder, 'lthash'), 'utf8')).toContain(
    `Tree evm_lattice has version ${HEIGHT} and root hash: ${evm.root.toString('hex').toUpperCase()} \n`,
  )
  expect(appHashOf([evm, ...trees])).toBe(appHashes[HEIGHT])
})

test('a retained older height is dumped, and any other is refused with the range of retained heights', async () => {
  const folder = join(home, 'older')
  const older = await runTool('dump-iavl', '-d', committerDir, '-o', folder, '--height', '33')
  expect(older.code).toBe(0)
  expect(readDump(folder, 'bank').version).toBe(33)
  const pruned = await runTool('dump-iavl', '-d', committerDir, '-o', folder, '--height', '5')
  expect(pruned.code).toBe(69)
  expect(pruned.stderr).toContain(
    'Error: Invalid version number: height 5 is not retained, heights 31 to 40 are',
  )
})

test('a missing argument is reported with the message of the original tool', async () => {
  expect(await runTool('dump-iavl')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Error: Must provide database dir\n'),
  })
  expect(await runTool('dump-flatkv', '-d', committerDir)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Error: Must provide output dir\n'),
  })
  const out = join(home, 'none')
  expect(await runTool('dump-iavl', '-d', committerDir, '-o', out, '-m', 'gov')).toMatchObject({
    code: 0,
    stdout: 'Tree does not exist for module gov \n',
  })
})

test('debug dump-iavl writes the keys, values, hash, size and height of each module tree', async () => {
  const folder = join(home, 'legacy')
  const args = ['debug', 'dump-iavl', '0', '--home', home, '--output-dir', folder]
  const { code, stdout, stderr } = await runCommand(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: ONLY_PROGRESS })
  expect(stdout).toBe(
    `db path: ${committerDir}\n` +
      ['bank', 'params', 'staking'].map((name) => `Processing Module: ${name}\n`).join(''),
  )
  const dump = readDump(join(home, 'dump'), 'bank')
  const lines = readFileSync(join(folder, 'bank.data'), 'utf8').replace(/\n$/, '').split('\n')
  expect(lines).toHaveLength(2 * dump.rows.length + 2)
  expect(lines.at(-2)).toBe(`Hash: ${dump.root.toString('hex').toUpperCase()}`)
  expect(lines.at(-1)).toBe(`Size: ${dump.rows.length.toString(16).toUpperCase()}`)
  const shape = readFileSync(join(folder, 'bank.shape'), 'utf8').replace(/\n$/, '').split('\n')
  expect(shape.filter((line) => line.trim().startsWith('*'))).toHaveLength(dump.rows.length)
  expect(shape.filter((line) => line.trim().startsWith('-'))).toHaveLength(dump.rows.length - 1)
  expect(shape.find((line) => line.startsWith('-0 '))).toBe(
    `-0 ${dump.root.toString('hex').toUpperCase()}`,
  )
  const bad = await runCommand(['debug', 'dump-iavl', '99', '--home', home])
  expect(bad.code).toBe(69)
  expect(bad.stderr).toMatch(/^Error: Invalid version number: height 99 is not retained/)
})

test('debug dump-db writes every version as a line, optionally of one module only', async () => {
  const all = await runCommand(['debug', 'dump-db', '--home', home])
  expect({ code: all.code, stderr: all.stderr }).toEqual({ code: 0, stderr: ONLY_PROGRESS })
  const lines = all.stdout.trimEnd().split('\n')
  const rows = lines.filter((line) => !line.startsWith('Store: '))
  for (const row of rows) {
    expect(row).toMatch(/^Key: [0-9A-F]+ Val: (?:[0-9A-F]*|TOMBSTONE) Version: \d+$/)
  }
  for (const store of ['account', 'code', 'storage', 'cleared', 'legacy Module: evm']) {
    expect(lines).toContain(`Store: ${store}`)
  }
  const bank = await runCommand(['debug', 'dump-db', '-m', 'bank', '--home', home])
  const [section, ...ofBank] = bank.stdout.trimEnd().split('\n')
  expect(section).toBe('Store: modules Module: bank')
  // The latest version of each key in the tree is the value in the state commit.
  const newest = new Map<string, string>()
  for (const row of ofBank) {
    const [, key = '', value = ''] = /^Key: (\S+) Val: (\S*) Version/.exec(row) ?? []
    if (!newest.has(key)) newest.set(key, value)
  }
  const live = [...newest].filter(([, value]) => value !== 'TOMBSTONE')
  expect(live).toEqual(
    readDump(join(home, 'dump'), 'bank').rows.map((row) =>
      row.map((part) => part.toString('hex').toUpperCase()),
    ),
  )
  const file = join(home, 'dump.kv')
  const written = await runCommand(['debug', 'dump-db', '--home', home, '-o', file])
  expect(written).toEqual({ code: 0, stdout: '', stderr: ONLY_PROGRESS })
  expect(readFileSync(file, 'utf8')).toBe(all.stdout)
})

test('debug dump-db ends quietly when its output pipe closes', async () => {
  const command = `'${process.execPath}' '${MAIN}' debug dump-db --home '${home}'`
  const pipe = ['bash', '-c', `set -o pipefail; ${command} | head -n 2`]
  const { code, stdout, stderr } = await runProgram(pipe)
  expect({ code, stderr }).toEqual({ code: 0, stderr: ONLY_PROGRESS })
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
})
