import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'smol-toml'
import { afterAll, describe, expect, test } from 'vitest'
import { CommitHasher } from '../../host/commit/hash/commit-hasher.ts'
import { readModule } from '../../host/node/wasm.ts'
import { BROWSER_NAMES, installedBrowser, whyNoBrowser } from '../support/browser/browser.ts'
import { MINTED_GENESIS, mintChain } from '../support/chain/mint-chain.ts'
import { commandsOf, fencedBlocks, inlineCommands } from '../support/markdown-blocks.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { openNetworkNamespace } from './readme/network-namespace.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** What is run in place of a command, and why it is not the command itself. */
const INSTEAD: Readonly<Record<string, { readonly run: string; readonly because: string }>> = {
  'npm test': {
    run: 'npm test -- test/unit/base/hex.test.ts',
    because: 'this test is one of those it runs',
  },
  'npm run test:all': {
    run: 'npm run test:all -- test/unit/base/hex.test.ts',
    because: 'this test is one of those it runs',
  },
  'npm run -s conformance': {
    run: 'mkdir -p none && npm run -s conformance -- none',
    because: 'the vectors are no part of a checkout',
  },
  'npm run -s check': {
    run: 'npm run 2>&1 | grep -q "run.mjs check"',
    because: 'all of it takes half a minute, and a change passes it before any test',
  },
  'npm run -s component': {
    run: 'npm run 2>&1 | grep -q run.mjs.component',
    because: 'it takes a quarter of a minute: test/runtimes/component.slow.test.ts makes it',
  },
  'npm run -s bench -- chain': {
    run: 'npm run -s bench 2>&1 | grep -q chain',
    because: 'it measures for minutes: that the bench is named and found is what is looked at',
  },
  'npm install viem': {
    run: 'test -d node_modules/viem',
    because: 'the checkout has it, and a test reaches no network',
  },
  'npm install -g ./lockstep-<version>.tgz': {
    run: 'test -f lockstep-*.tgz',
    because:
      'a test reaches no network: test/package shows that the package runs where nothing else is',
  },
  'npm install ./lockstep-<version>.tgz': {
    run: 'test -f lockstep-*.tgz',
    because: 'as above',
  },
  'npm run -s lockstep -- network start ~/network': {
    run: 'npm run -s lockstep -- network start --help | grep -q -e --ready-file',
    because:
      'it runs six nodes until somebody ends it: test/network/network-start.slow.test.ts does',
  },
  'lockstep debug state-size': {
    run: 'npm run -s lockstep -- debug state-size',
    because: 'in a checkout the command is an npm script',
  },
  'lockstep migrate split-store --from URL': {
    run: 'npm run -s lockstep -- migrate split-store --help | grep -q -e --from',
    because:
      'it empties a home and syncs it from another node: test/unit/cli/migrate-by-sync.slow.test.ts runs it',
  },
}

/** Sends the transaction whose page is opened then. */
const FAILING = 'node tools/explorer/failing.mjs'
/** What its page says once it has read what the compiler said. */
const WHY = 'shop.sol, line 16, in Till.charge'
const PAGE_PRINTER = fileURLToPath(new URL('readme/print-page.ts', import.meta.url))

/** A network of six machines. */
const ON_MACHINES =
  'lockstep network init --validators 4 --full 2 --out network --chain-id 4242 ' +
  '--fund 0x1111111111111111111111111111111111111111=1000000ether ' +
  '--hosts 10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6'

/** Pages of folders that have commands, and what is run of each. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'assembly/README.md': {
    // The set-up has run the same to build the checkout.
    'node node_modules/.bin/asc assembly/engine.ts --config asconfig.json --target engine':
      'node node_modules/.bin/asc --version && grep -q \'"engine"\' asconfig.json',
  },
  'host/node/network/README.md': {
    'lockstep network init --validators 4 --full 2 --out network':
      'npm run -s lockstep -- network init --validators 4 --full 2 --out network',
    'lockstep network start network':
      'npm run -s lockstep -- network start --help | grep -q -e --ready-file',
    [ON_MACHINES]: `rm -r network && npm run -s ${ON_MACHINES.replace('lockstep', 'lockstep --')}`,
    'lockstep init newcomer --mode full --chain-id 4242 --genesis genesis.json --home ~/newcomer':
      'npm run -s lockstep -- init newcomer --mode full --chain-id 4242 --genesis network/full-1/config/genesis.json --home ~/newcomer',
    // A home whose chain has blocks is in test/network/continued.slow.test.ts.
    'lockstep genesis export --home ~/.lockstep --out genesis.json':
      'npm run -s lockstep -- genesis export --help | grep -q -e --out',
    'lockstep snapshot export --home ~/.lockstep':
      'npm run -s lockstep -- snapshot export --help | grep -q -e --home',
    'lockstep snapshot import SNAPSHOT --home ~/newcomer --mode validator':
      'npm run -s lockstep -- snapshot import --help | grep -q -e --mode',
  },
  'test/README.md': {
    // Whole sets run for minutes, and this test is in one of them: a file stands for each.
    // The same in README, from where one file is run.
    'npm test # the fast set: what to run while changing the code':
      'npm pkg get scripts.test | grep -q "run.mjs test"',
    'npm test -- test/unit/store # its files whose path contains the text':
      'ls test/unit/store/*.test.ts',
    "npm test -- test/unit/base -t 'two digits' # of these the tests whose name contains the text":
      "grep -rq 'two digits' test/unit/base",
    'npm run test:all # the fast set and the slow one':
      'npm pkg get scripts.test:all | grep -q "run.mjs test:all"',
    'npm run test:all -- --project slow # the slow set alone':
      'npm run test:all -- --project slow --passWithNoTests test/unit/base/hex.test.ts',
    'npm run test:all -- test/faults/kill # files of both sets': 'ls test/faults/kill*.test.ts',
    // The vectors are no part of a checkout.
    'npm run -s conformance -- <folder>... # or LOCKSTEP_VECTORS=<folder>':
      'mkdir -p none && npm run -s conformance -- none',
  },
  'test/browser/README.md': {
    // They run for minutes, in the same set as this test.
    'npm run test:all -- test/browser': 'ls test/browser/*.slow.test.ts',
  },
  'test/fuzz/README.md': {
    'npm run fuzz -- --seconds 60 --seed 1': 'npm run fuzz -- --seconds 1 --seed 1',
  },
}

/** The lines that a node writes once it answers, at the port that it was given or its own. */
const ANSWERS = /EVM JSON-RPC +http:\/\/127\.0\.0\.1:(?:8545|9545)\n[\s\S]*Home /
const SERVES = /^npm start$|^npm run -s lockstep -- start\b/
/** With a port of its own, a node runs beside the one that is there. */
const BESIDE = /--evm\.http-port/
const STOPPED_NODE = /snapshot export|debug (state-size|verify-db)|rollback|lockstep -- doctor/

const network = await openNetworkNamespace()
if (network === undefined) {
  console.log(
    'README is not run: `unshare -Urn` with `ip` gives no network namespace on this system',
  )
}

const folder = mkdtempSync(join(tmpdir(), 'lockstep readme '))
const checkout = join(folder, 'a checkout')
const home = join(folder, 'home')

function makeCheckout(): void {
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) => !['node_modules', '.cache', '.git'].includes(basename(path)),
  })
  for (const name of ['node_modules', '.cache']) symlinkSync(join(ROOT, name), join(checkout, name))
  mkdirSync(home)
}

/** Only what a login gives: nothing of the process that runs the tests. */
const ENVIRONMENT = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' }

interface Shell {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  output(): string
}

function shell(command: string): Shell {
  const [program = '', ...before] = network?.enter ?? []
  const child = spawn(program, [...before, 'sh', '-c', command], {
    cwd: checkout,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, as a terminal gives it, which Ctrl-C reaches as a whole.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, output: () => output }
}

async function run(command: string): Promise<string> {
  const { ended, output } = shell(command)
  expect(await ended, `${command}\n${output()}`).toBe(0)
  return output()
}

/** Those that run, the oldest first. */
const nodes: Shell[] = []

async function serve(command: string): Promise<void> {
  const started = shell(command)
  nodes.push(started)
  await new Promise<void>((resolve, reject) => {
    started.child.stdout?.on('data', () => ANSWERS.test(started.output()) && resolve())
    started.ended.then(() => reject(new Error(`${command} ended:\n${started.output()}`)))
  })
}

/** Ctrl-C, to the newest first: a node that follows another one is stopped before it. */
async function stopNodes(): Promise<void> {
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const { child, ended, output } = node
    process.kill(-Number(child.pid), 'SIGINT')
    // npm itself ends by the signal; the node ends by itself.
    await ended
    expect(output()).toMatch(/ stopped\n/)
  }
}

afterAll(async () => {
  await stopNodes()
  await network?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What stands in angle brackets, as far as it is known. */
const values = new Map([
  ['moniker', 'alice'],
  ['address', devAccount(0).address as string],
])

function substitute(command: string): string {
  return command.replace(/<(\w+)>/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`nothing is known of <${name}> in ${command}`)
    return value
  })
}

/** What README's reader has learnt from the output of a command. */
function learn(command: string, output: string): void {
  if (command === 'node first.mjs') {
    const [, hash] = /^0x([0-9a-f]{64}) \{/m.exec(output) ?? []
    expect(output).toContain(`type: 'CALL'`)
    values.set('hash', hash as string)
  }
  if (command === FAILING) {
    const [, hash] = /^(0x[0-9a-f]{64}) reverted$/m.exec(output) ?? []
    values.set('failed', hash as string)
  }
  if (command.includes('wallet app create')) {
    const { appId, appSecret } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '')
    values.set('app_id', appId).set('app_secret', appSecret)
  }
  if (command.includes('wallet agent create')) {
    const { agentId, agentSecret } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '')
    values.set('agent_id', agentId).set('agent_secret', agentSecret)
  }
  if (command.startsWith('node agent.mjs')) {
    expect(output).toMatch(
      /^0\.5 0x[0-9a-f]{64}\n0\.6 RPC request denied due to policy violation: .+\n/,
    )
  }
  if (command.startsWith('node backend.mjs')) {
    const [, wallet] = /^wallet (\S+)$/m.exec(output) ?? []
    values.set('wallet_id', wallet as string)
  }
  if (command.includes(':8402/')) {
    expect(JSON.parse(output).accepts, command).toHaveLength(1)
  } else if (command.startsWith('curl')) {
    const answer = JSON.parse(output)
    expect(answer, command).toHaveProperty('result')
    expect(answer).not.toHaveProperty('error')
    if (command.includes('/block?')) values.set('block_hash', answer.result.block_id.hash)
  }
  if (command.includes('snapshot export')) {
    values.set('height', output.trim().split('/').at(-1) as string)
  }
}

/** The link to a transaction that the running node has printed. */
function printedLink(hash: string): string {
  const line = new RegExp(`INF submitted transaction hash=${hash} explorer=(\\S+)\n`)
  const [, link] = line.exec(nodes[0]?.output() ?? '') ?? []
  expect(link).toBe(`http://127.0.0.1:8545/explorer/tx/${hash}`)
  return link as string
}

/** Opens a link as the reader does, in a browser where there is one, and finds there why the transaction failed. */
async function open(link: string): Promise<void> {
  const page = await run(`curl -sf '${link}'`)
  const [script] = /\/explorer\/assets\/[\w.-]+\.js/.exec(page) ?? []
  await run(`curl -sf 'http://127.0.0.1:8545${script}' >script.js && test -s script.js`)
  for (const browser of BROWSER_NAMES) {
    if (installedBrowser(browser) === undefined) {
      console.log(`the link is not opened in a browser: ${whyNoBrowser(browser)}`)
      continue
    }
    const shown = await run(
      `'${process.execPath}' '${PAGE_PRINTER}' ${browser} '${link}' '${WHY}' build/shop.json`,
    )
    expect(shown).toContain('if (left < price) revert TooLittle(customer, left, price);')
  }
}

/** The command of a line, whose comment tells the reader what it does. */
function withoutComment(line: string): string {
  return line.replace(/ +#.*$/, '')
}

async function follow(command: string): Promise<void> {
  const literal = substitute(INSTEAD[withoutComment(command)]?.run ?? command)
  if (SERVES.test(literal)) {
    if (!BESIDE.test(literal)) await stopNodes()
    await serve(literal)
  } else {
    if (STOPPED_NODE.test(literal)) await stopNodes()
    learn(command, await run(literal))
    if (command === FAILING) await open(printedLink(values.get('failed') as string))
  }
}

/** A home whose app.toml is the block, and what README promises of it. */
async function startWith(toml: string): Promise<void> {
  await stopNodes()
  const other = mkdtempSync(join(folder, 'configured '))
  await run(`npm run -s lockstep -- init --chain-id dev --home '${other}'`)
  writeFileSync(join(other, 'config/app.toml'), toml)
  await serve(`npm run -s lockstep -- start --home '${other}'`)
  if (toml.includes('[payments]')) await meetPrices(toml)
  if (toml.includes('evm-ss-split')) {
    for (const line of README.matchAll(/`((?:NodeDB|EVM state)[^`]*enabled)`/g)) {
      expect(nodes[0]?.output()).toContain(line[1])
    }
  }
  await stopNodes()
}

/** Each resource of a block is sold at its price, in units of a millionth. */
async function meetPrices(toml: string): Promise<void> {
  const { payments } = parse(toml) as {
    payments: { resource: { path: string; price: string }[] }
  }
  for (const { path, price } of payments.resource) {
    const { accepts } = JSON.parse(await run(`curl -s 127.0.0.1:8402${path}`))
    expect(accepts[0]).toMatchObject({ maxAmountRequired: String(Number(price) * 1e6) })
  }
}

test('every page with command blocks is listed', () => {
  const pages = ['assembly', 'bench', 'host', 'test', 'tools'].flatMap((part) =>
    readdirSync(join(ROOT, part), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('README.md') && !path.includes('node_modules'))
      .map((path) => join(part, path)),
  )
  const found = pages.flatMap((path) => {
    const commands = pageCommands(path)
    return commands.length === 0 ? [] : [[path, commands] as const]
  })
  const known = Object.entries(PAGES).map(([path, rows]) => [path, Object.keys(rows)] as const)
  expect(new Map(found)).toEqual(new Map(known))
})

/** The commands that begin a line of a page's blocks of shell. */
function pageCommands(path: string): readonly string[] {
  return fencedBlocks(readFileSync(join(ROOT, path), 'utf8'))
    .filter(({ language }) => language === '' || language === 'sh')
    .flatMap(({ text }) => commandsOf(text))
    .filter((command) => /^(npm|npx|node|lockstep) /.test(command))
    .map((command) => command.replace(/ +/g, ' '))
}

describe.skipIf(network === undefined)(
  'the README, followed from top to bottom in an empty home,',
  () => {
    const blocks = fencedBlocks(README)

    test('has only blocks of the kinds that are run', () => {
      expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'js', 'toml']))
      const known = [...blocks.flatMap(({ text }) => commandsOf(text)), ...inlineCommands(README)]
      const commands = known.map(withoutComment)
      for (const command of Object.keys(INSTEAD)) expect(commands).toContain(command)
    })

    test('works as described', async () => {
      makeCheckout()
      const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
      writeFileSync(join(checkout, 'chain.rlp'), Buffer.concat(mintChain(hasher, 3).blocks))
      writeFileSync(join(checkout, 'genesis.json'), MINTED_GENESIS)
      for (const { language, text } of blocks) {
        const [, name = 'first.mjs'] = /^\/\/ (\w+\.mjs)\n/.exec(text) ?? []
        if (language === 'js') writeFileSync(join(checkout, name), text)
        if (language === 'toml') await startWith(text)
        if (language !== 'sh') continue
        for (const command of commandsOf(text)) await follow(command)
      }
      await stopNodes()
      for (const command of inlineCommands(README)) await follow(command)
      for (const command of Object.values(PAGES).flatMap((rows) => Object.values(rows))) {
        await run(command)
      }
    }, 600_000)
  },
)
