import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { MINTED_GENESIS, mintChain } from '../support/chain/mint-chain.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { reachHeight } from '../support/node/progress.ts'
import { openTerminal, type Program, type Terminal } from '../support/node/terminal.ts'
import { noSmallDisk } from '../support/store/small-disk.ts'

const hasScript = spawnSync('script', ['--version']).status === 0
const CTRL_C = '\x03'
const FREE_PORTS = ['--evm.http-port', '0', '--rpc.laddr', '127.0.0.1:0']

/** Homes, block files and bundles. Each test uses its own subfolder. */
let folder: string
let terminal: Terminal | undefined

function open(args: readonly string[], before?: readonly string[], program?: Program): Terminal {
  terminal = openTerminal(args, before, program)
  return terminal
}

/** Runs a command in a terminal to its end. */
async function runAtTerminal(
  args: readonly string[],
  before?: readonly string[],
  program?: Program,
) {
  const { ended, output } = open(args, before, program)
  return { code: await ended, output: output().replaceAll('\r\n', '\n') }
}

beforeAll(() => {
  folder = makeHome()
})
afterEach(() => terminal?.close())
afterAll(() => removeHome(folder))

describe.skipIf(!hasScript)(
  `a user at a terminal${hasScript ? '' : ': there is no script of util-linux here'}`,
  () => {
    test('sees addresses and accounts at a first start, an error at a second start, and a stop after Ctrl-C', async () => {
      const home = join(folder, 'first')
      const node = open(['start', '--dev', '--home', home, ...FREE_PORTS])
      await node.says('(9) 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720')
      expect(node.output()).toMatch(/EVM JSON-RPC +http:\/\/127\.0\.0\.1:\d+/)
      const second = await runCommand(['start', '--dev', '--home', home, ...FREE_PORTS])
      expect(second.code).toBe(75)
      expect(second.stderr).toMatch(/Error: .*is in use by process \d+\)\nHint: /s)
      node.type(CTRL_C)
      expect(await node.ended).toBe(0)
      expect(node.output()).toMatch(/ stopping signal=SIGINT\r\n(?:.*\r\n)*.* stopped\r\n$/)
    })

    test('sees what is wrong with an option, a command or a value', async () => {
      expect(await runAtTerminal(['start', '--nope'])).toEqual({
        code: 64,
        output: expect.stringContaining("Error: unknown option '--nope'\n"),
      })
      expect(await runAtTerminal(['statsu'])).toEqual({
        code: 64,
        output: "Error: unknown command 'statsu'\n(Did you mean status?)\n",
      })
      expect(await runAtTerminal(['start', '--dev', '--evm.http-port', '99999'])).toMatchObject({
        code: 78,
        output: expect.stringMatching(/Error: .*99999.*\nHint: /s),
      })
    })

    test('sees the path of a home that cannot be created', async () => {
      const { code, output } = await runAtTerminal(['start', '--dev', '--home', '/dev/null/home'])
      expect(code).toBe(77)
      expect(output).toContain('Error: cannot create /dev/null/home: ENOTDIR')
    })

    test('sees the path of a missing home and the command that creates it', async () => {
      const home = join(folder, 'nowhere')
      const { code, output } = await runAtTerminal(['start', '--home', home])
      expect(code).toBe(78)
      expect(output).toContain(
        `Error: ${home} has no config/genesis.json\nHint: run \`lockstep init`,
      )
      expect(existsSync(home)).toBe(false)
    })

    test('sees the command that fixes the permissions of a key that others can read', async () => {
      const home = join(folder, 'readable')
      await runCommand(['init', '--chain-id', 'dev', '--home', home])
      const key = join(home, 'config/priv_validator_key.json')
      chmodSync(key, 0o644)
      const { code, output } = await runAtTerminal(['start', '--home', home, ...FREE_PORTS])
      expect(code).toBe(78)
      const [, remedy] = /(chmod 600 .+priv_validator_key\.json')/.exec(output) ?? []
      expect(remedy, output).toBeDefined()
      chmodSync(key, 0o600)
      const node = open(['start', '--home', home, ...FREE_PORTS])
      await node.says('Home ')
      node.type(CTRL_C)
      expect(await node.ended).toBe(0)
    })

    const noMount = noSmallDisk()
    test.skipIf(noMount !== undefined)(
      `sees the path if the disk is read-only${noMount === undefined ? '' : `: ${noMount}`}`,
      async () => {
        const home = join(folder, 'read-only')
        await runCommand(['init', '--chain-id', 'dev', '--home', home])
        // A read-only bind mount in a namespace of its own, which applies to root too.
        const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
        const before = ['unshare', '-rm', 'sh', '-c', script, home]
        const { code, output } = await runAtTerminal(
          ['start', '--home', home, ...FREE_PORTS],
          before,
        )
        expect(code).toBe(77)
        expect(output).toMatch(/Error: .*LOCK.*read-only file system.*\nHint: .*writable/s)
      },
    )
  },
)

/** A long-running command, its first output, and how a later run ends. */
interface LongCommand {
  readonly name: string
  readonly program?: Program
  readonly args: () => readonly string[]
  readonly label: string
  /** Name of the home that the command uses, a copy of the stopped node's. */
  readonly copy?: string
  /** Output of the same command, run to its end afterwards. */
  readonly ends: RegExp
}

describe.skipIf(!hasScript)('Ctrl-C during a long command', () => {
  let source: string
  let snapshot: string
  let rpc: string
  let daemon: Daemon
  beforeAll(async () => {
    const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
    writeFileSync(join(folder, 'chain.rlp'), Buffer.concat(mintChain(hasher, 300).blocks))
    writeFileSync(join(folder, 'genesis.json'), MINTED_GENESIS)
    source = join(folder, 'source')
    mkdirSync(source)
    daemon = await startDaemon({ home: source, arguments: ['--consensus.block-time', '20ms'] })
    rpc = daemon.ready.rpc
    await reachHeight(rpc, 40)
    const bundles = join(folder, 'bundles')
    const recorded = await runCommand(['record', '1-3', '--url', rpc, '--out', bundles])
    expect(recorded.code).toBe(0)
    const [first = ''] = readdirSync(bundles)
    // Enough that Ctrl-C arrives during the replay
    for (let i = 0; i < 500; i++) cpSync(join(bundles, first), join(bundles, `copy-${i}.json`))
    await daemon.stop()
    snapshot = (await runCommand(['snapshot', 'export', '--home', source])).stdout.trim()
    cpSync(source, stopped(), { recursive: true })
    rmSync(join(stopped(), 'data/snapshots'), { recursive: true })
    daemon = await startDaemon({ home: source })
    rpc = daemon.ready.rpc
  })
  afterAll(async () => {
    await daemon?.stop()
  })

  const inHome = (name: string) => ['--home', join(folder, name)]
  /** Returns the home of the node after it stopped. */
  const stopped = () => join(folder, 'stopped')

  // Makes a tree and a bucket with enough rows that Ctrl-C arrives while they are written.
  beforeAll(async () => {
    const home = join(folder, 'dumped')
    expect((await runCommand(['init', 'dumped', '--home', home, '--chain-id', 'dev'])).code).toBe(0)
    const path = join(home, 'config/genesis.json')
    const genesis = JSON.parse(readFileSync(path, 'utf8'))
    const owners = Array.from({ length: 60_000 }, (_, i) => [
      `0x${(i + 1).toString(16).padStart(40, '0')}`,
      '1',
    ])
    const coin = { name: 'Coin', symbol: 'COIN', decimals: 6, balances: Object.fromEntries(owners) }
    genesis.app_state.bank = { denominations: { ucoin: coin } }
    const { alloc } = genesis.app_state.evm
    for (const [owner = ''] of owners) alloc[owner] = { balance: '1' }
    writeFileSync(path, JSON.stringify(genesis))
    const node = await startDaemon({ home, dev: false })
    await reachHeight(node.ready.rpc, 2)
    await node.stop()
  })

  // The home of an RPC node, which has no history to lose.
  beforeAll(async () => {
    const genesis = join(source, 'config/genesis.json')
    const { code, stderr } = await runCommand([
      ...['snapshot', 'import', snapshot, '--genesis', genesis, ...inHome('migrated')],
    ])
    expect(code, stderr).toBe(0)
  })

  const COMMANDS: readonly LongCommand[] = [
    {
      name: 'import',
      args: () => [
        'import',
        join(folder, 'chain.rlp'),
        '--genesis',
        join(folder, 'genesis.json'),
        ...inHome('imported'),
      ],
      label: 'Importing blocks',
      ends: /the chain ends at block 300/,
    },
    {
      name: 'record',
      args: () => ['record', '5-36', '--force', '--url', rpc, '--out', join(folder, 'out')],
      label: 'Recording',
      ends: /block-36\.json/,
    },
    {
      name: 'replay',
      args: () => ['replay', join(folder, 'bundles')],
      label: 'Replaying',
      ends: /same +.*copy-9\.json/,
    },
    {
      name: 'snapshot export',
      args: () => ['snapshot', 'export', ...inHome('exported')],
      label: 'Exporting',
      copy: 'exported',
      ends: /Exported height \d+/,
    },
    {
      name: 'snapshot verify',
      args: () => ['snapshot', 'verify', snapshot],
      label: 'Verifying',
      ends: /Valid: height \d+/,
    },
    {
      name: 'snapshot import',
      args: () => [
        'snapshot',
        'import',
        snapshot,
        '--genesis',
        join(source, 'config/genesis.json'),
        ...inHome('joined'),
      ],
      label: 'Taking chunks',
      ends: /Imported height \d+/,
    },
    {
      name: 'rollback',
      args: () => ['rollback', '-n', '20', ...inHome('rolled')],
      label: 'Rolling back',
      copy: 'rolled',
      ends: /Rollback complete target height \d+/,
    },
    {
      name: 'debug dump-iavl',
      args: () => ['debug', 'dump-iavl', '0', ...inHome('dumped')],
      label: 'Dumping',
      ends: /Processing Module: /,
    },
    {
      name: 'debug dump-db',
      args: () => ['debug', 'dump-db', '-o', join(folder, 'rows.txt'), ...inHome('dumped')],
      label: 'Dumping',
      // Only the progress line, which overwrites itself.
      ends: /^[^\n]*$/,
    },
    {
      name: 'lockstep-db dump-iavl',
      program: 'lockstep-db',
      args: () => [
        'dump-iavl',
        '-d',
        join(folder, 'dumped/data/committer.db'),
        '-o',
        join(folder, 'trees'),
      ],
      label: 'Dumping',
      ends: /Tree bank has version \d+ and root hash: /,
    },
    {
      name: 'lockstep-db dump-flatkv',
      program: 'lockstep-db',
      args: () => [
        'dump-flatkv',
        '-d',
        join(folder, 'dumped/data/committer.db'),
        '-o',
        join(folder, 'buckets'),
      ],
      label: 'Dumping',
      ends: /Tree account has version \d+ and root hash: /,
    },
    {
      name: 'migrate split-store',
      args: () => [...['migrate', 'split-store', '--snapshot', snapshot, ...inHome('migrated')]],
      label: 'Saving the key',
      ends: /The home is ready/,
    },
    {
      name: 'debug verify-db',
      args: () => ['debug', 'verify-db', ...inHome('verified')],
      label: 'Verifying',
      copy: 'verified',
      ends: /ok +data\/wal/,
    },
  ]

  test.each(COMMANDS)(
    '$name exits with 130, says how to continue, and leaves a usable home',
    async (command) => {
      if (command.copy !== undefined) {
        cpSync(stopped(), join(folder, command.copy), { recursive: true })
      }
      const running = open(command.args(), undefined, command.program)
      await running.says(command.label)
      running.type(CTRL_C)
      expect(await running.ended, running.output()).toBe(130)
      expect(running.output()).toMatch(/Error: interrupted while .*, at \d+.*\r\nHint: \S/)
      const again = await runAtTerminal(command.args(), undefined, command.program)
      expect(again.code, again.output).toBe(0)
      expect(again.output).toMatch(command.ends)
    },
  )
})
