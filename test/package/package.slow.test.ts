import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData } from '../../host/base/hex.ts'
import { manifestEntries } from '../../tools/package/manifest.ts'
import { reach } from '../../tools/package/module-graph.ts'
import { packageSizes, sizeTable } from '../../tools/package/sizes.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { summingLoop } from '../support/engine/summing-loop.ts'
import { fencedBlocks } from '../support/markdown-blocks.ts'
import { startDaemon } from '../support/node/daemon.ts'
import { signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import {
  bareEnvironment,
  CHECKOUT,
  type Ended,
  type Installation,
  installPackage,
  linkDependency,
  runIn,
} from '../support/package/installed-package.ts'

const WATCH_THREADS = fileURLToPath(new URL('./watch-threads.cjs', import.meta.url))

let folder: string
let installation: Installation

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'package '))
  installation = await installPackage(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function installedFiles(): string[] {
  return readdirSync(installation.package, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installation.package.length + 1))
    .sort()
}

/** Runs a JavaScript module in the project that has the package installed. */
function runModule(source: string, args: readonly string[] = []): Promise<Ended> {
  const path = join(installation.folder, 'program.js')
  writeFileSync(path, source)
  return runIn(installation.folder, process.execPath, [path, ...args])
}

/** Environment variables that make a program of the package record the scripts of its threads. */
function watchThreads(): Record<string, string> {
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(WATCH_THREADS)}`,
    THREADS: join(folder, 'threads'),
  }
}

function runLockstep(...args: string[]): Promise<Ended> {
  const command = join(installation.folder, 'node_modules/.bin/lockstep')
  return runIn(installation.folder, command, args, watchThreads())
}

/** Returns the example in the package's README that imports a module. */
function exampleOf(module: string): string {
  const page = readFileSync(join(CHECKOUT, 'host/entry/README.md'), 'utf8')
  const found = fencedBlocks(page).find(({ text }) => text.includes(`from '${module}'`))
  expect(found?.language, `an example with ${module}`).toBe('js')
  return found?.text as string
}

describe('the package', () => {
  test('contains the modules, the licence and the README, and no file of test, bench or tools', () => {
    const others = installedFiles().filter((path) => !/^(dist|build\/explorer)\//.test(path))
    expect(others).toEqual([
      'LICENSE',
      'README.md',
      'build/commit.wasm',
      'build/compile.wasm',
      'build/engine.wasm',
      'build/modules.wasm',
      'build/pairing.wasm',
      'build/recovery.wasm',
      'package.json',
    ])
  })

  test('contains the explorer as it was built, without source maps', () => {
    const built = readdirSync(join(CHECKOUT, 'build/explorer'), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(CHECKOUT.length))
      .sort()
    const packed = installedFiles().filter((path) => path.startsWith('build/explorer/'))
    expect(packed).toEqual(built)
    expect(packed).toContain('build/explorer/index.html')
    expect(packed.filter((path) => path.endsWith('.map'))).toEqual([])
  })

  test('contains the bundle of the commands, with a source map of each file', () => {
    const files = installedFiles().filter((path) => /^dist\/cli\/[^/]*$/.test(path))
    const scripts = files.filter((path) => path.endsWith('.js'))
    // A file that only re-exports has no source map.
    const mapped = scripts.filter((path) =>
      readFileSync(join(installation.package, path), 'utf8').includes('//# sourceMappingURL'),
    )
    const maps = mapped.map((path) => `${path}.map`)
    expect(files).toEqual([...scripts, ...maps, 'dist/cli/licenses.md'].sort())
    const licenses = readFileSync(join(installation.package, 'dist/cli/licenses.md'), 'utf8')
    expect(licenses).toMatch(/^## commander [\d.]+ \(MIT\)\n\n.*Permission is hereby granted/ms)
    const { files: reached } = reach(join(installation.package, 'dist'), [
      'cli/main.js',
      'cli/dump-main.js',
    ])
    expect(scripts).toEqual(reached.map((path) => join('dist', path)))
  })

  test('contains one JavaScript file for each file of host/ that an export reaches', () => {
    const scripts = installedFiles().filter((path) => /^dist\/(?!web\/|cli\/).*\.js$/.test(path))
    const source = (path: string) => path.replace(/^dist/, 'host').replace(/js$/, 'ts')
    const sources = readdirSync(join(CHECKOUT, 'host'), { recursive: true, encoding: 'utf8' })
    const known = new Set(sources.map((path) => join('host', path)))
    expect(scripts.filter((path) => !known.has(source(path)))).toEqual([])
    const { modules } = manifestEntries(installation.manifest)
    const reached = reach(join(installation.package, 'dist'), modules).files
    const apart = reached.filter((path) => !/^(?:web|cli)\//.test(path))
    expect(scripts).toEqual(apart.map((path) => join('dist', path)))
  })

  test('contains the bundled browser modules with the files that they fetch', () => {
    const web = join(installation.package, 'dist/web')
    const { files, packages } = reach(web, ['browser.js', 'worker.js'])
    expect(packages).toEqual([])
    expect(readdirSync(web).sort()).toEqual([...files, 'payments', 'quickjs.wasm', 'wallet'].sort())
    const paying = join(web, 'payments')
    expect(reach(paying, ['fetch.js', 'axios.js'])).toEqual({
      files: readdirSync(paying).sort(),
      packages: [],
    })
    expect(reach(join(web, 'wallet'), ['wallet.js'])).toEqual({
      files: ['wallet.js'],
      packages: [],
    })
  })

  test('contains no TypeScript except the types of the exports', () => {
    const typed = installedFiles().filter((path) => path.endsWith('.ts'))
    const { types } = manifestEntries(installation.manifest)
    const reached = reach(join(installation.package, 'dist'), types).files
    expect(typed).toEqual(reached.map((path) => join('dist', path)).sort())
  })

  test('contains type declarations of the engine, a state and a state diff, and none of the node', () => {
    const { types } = manifestEntries(installation.manifest)
    const rooms = reach(join(installation.package, 'dist'), types).files.map((path) =>
      path.slice(0, path.lastIndexOf('/')),
    )
    expect([...new Set(rooms)].sort()).toEqual([
      'base',
      'client/remote-node',
      'entry',
      'evm/chain-types',
      'evm/chain-types/generated',
      'evm/engine',
      'evm/engine/generated',
      'evm/state',
      'evm/trace/bundle',
      'evm/trace/recording',
      'explorer/browser',
      'explorer/browser/compare',
      'explorer/browser/edit',
      'explorer/browser/source',
      'explorer/browser/step',
      'node',
      'payments',
      'payments/adapter',
      'payments/chain',
      'payments/client',
      'payments/gate',
      'payments/protocol',
      'payments/settle',
      'toolkit',
      'toolkit/mcp',
      'toolkit/provider',
      'toolkit/wallet',
      'wallet/client',
      'wallet/protocol',
    ])
  })

  test('contains no path of the build machine and no reference to a .ts source file', () => {
    const private_ = [CHECKOUT, `${folder}/`, `${homedir()}/`].filter((path) => path.length > 2)
    for (const path of installedFiles()) {
      const text = readFileSync(join(installation.package, path), 'latin1')
      for (const secret of private_)
        expect(text.includes(secret), `${secret} in ${path}`).toBe(false)
      const source = /\.[jt]s$/.test(path) ? /['"]\.[^'"\n]*\.ts['"]/.exec(text) : null
      expect(source?.[0], path).toBeUndefined()
    }
  })

  test('stays within the size budget of each part', () => {
    const rows = packageSizes(installation.tarball, installation.package)
    console.log(sizeTable(rows))
    expect(rows.filter(({ size, budget }) => size > budget)).toEqual([])
    // A budget more than twice the size would not catch growth.
    expect(rows.filter(({ size, budget }) => size < budget / 2)).toEqual([])
  })
})

describe('the package exports', () => {
  test('the names of lockstep/engine', async () => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/engine'))))`,
    )
    expect(JSON.parse(stdout)).toEqual([
      'DEFAULT_BLOCK',
      'DEFAULT_TRANSACTION',
      'EMPTY_CODE_HASH',
      'LockstepError',
      'OverlayState',
      'REVISIONS',
      'answerFrom',
      'answerFromAsync',
      'compileEngine',
      'decodeAccount',
      'encodeAccount',
      'opcodeName',
      'openEngine',
    ])
  })

  test('the names of lockstep/replay', async () => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/replay'))))`,
    )
    expect(JSON.parse(stdout)).toEqual(['LockstepError', 'describeDifference', 'openReplayer'])
  })

  test('the names of lockstep/browser', async () => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/browser')).sort()))`,
    )
    expect(JSON.parse(stdout)).toEqual([
      'LockstepError',
      'NodeClient',
      'NodeReader',
      'bundleFromNode',
      'compare',
      'compileEngine',
      'describeDifference',
      'edit',
      'openBundle',
      'openStepper',
      'replay',
      'stateOfNode',
      'verify',
      'watchHeads',
      'writeReplay',
    ])
  })

  test.each([
    ['fetch', ['wrapFetchWithPayment']],
    ['axios', ['withPaymentInterceptor', 'wrapAxiosWithPayment']],
  ])('the names of lockstep/payments/%s for paying', async (name, own) => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/payments/${name}'))))`,
    )
    const shared = ['PaymentError', 'memoryPayments', 'storagePayments']
    expect(JSON.parse(stdout)).toEqual([...shared, ...own].sort())
  })

  test('the name of lockstep/payments/folder', async () => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/payments/folder'))))`,
    )
    expect(JSON.parse(stdout)).toEqual(['folderPayments'])
  })

  test('the names of lockstep/toolkit', async () => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/toolkit')).sort()))`,
    )
    expect(JSON.parse(stdout)).toEqual([
      'ActionError',
      'Chain',
      'PROVIDERS',
      'ServiceWallet',
      'createMcpServer',
      'defineAction',
      'openToolkit',
      'plainText',
      'privateKeyWallet',
    ])
  })

  test('the names of lockstep/wallet', async () => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/wallet')).sort()))`,
    )
    expect(JSON.parse(stdout)).toEqual([
      'WalletRequestError',
      'approve',
      'connectWallets',
      'createRecipient',
      'generateAuthorizationKey',
      'verifyWebhook',
      'walletAccount',
    ])
  })

  test.each([
    ['express', 'paymentMiddleware'],
    ['hono', 'paymentMiddleware'],
    ['next', 'withPayment'],
  ])('the names of lockstep/payments/%s', async (name, own) => {
    const { stdout } = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('lockstep/payments/${name}'))))`,
    )
    expect(JSON.parse(stdout)).toEqual(['LockstepError', own])
  })

  test.each([
    'lockstep',
    'lockstep/dist/entry/engine.js',
    'lockstep/dist/evm/engine/engine.js',
    'lockstep/dist/node/wasm.js',
    'lockstep/build/commit.wasm',
    'lockstep/engine.js',
  ])('no %s', async (name) => {
    const { stdout } = await runModule(
      `console.log(await import('${name}').then(() => 'found', (error) => error.code))`,
    )
    expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
  })

  test('engine.wasm, byte for byte', async () => {
    const { stdout } = await runModule(`
      import { createHash } from 'node:crypto'
      import { readFileSync } from 'node:fs'
      import { fileURLToPath } from 'node:url'
      import { compileEngine } from 'lockstep/engine'
      const bytes = readFileSync(fileURLToPath(import.meta.resolve('lockstep/engine.wasm')))
      const { engineHash } = await compileEngine()
      console.log(createHash('sha256').update(bytes).digest('hex') === engineHash)
    `)
    expect(stdout).toBe('true\n')
  })

  test("what the README's program with lockstep/engine uses", async () => {
    expect(await runModule(exampleOf('lockstep/engine'))).toEqual({
      code: 0,
      // Gas: 21000, a cold SLOAD for 2100 (EIP-2929), a new memory word and its store for 6, three PUSH0 and a PUSH1
      // for 9
      stdout: `true 23115n ${'07'.repeat(32)}\n`,
      stderr: '',
    })
  })
})

describe('the types of the package', () => {
  const STRICT = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2023',
  }

  const IN_PAGE = {
    module: 'esnext',
    lib: ['es2023', 'dom'],
    types: [],
    exactOptionalPropertyTypes: true,
  }

  test.each([
    ['typed-program', 'nodenext', { module: 'nodenext', lib: ['es2023'], types: ['node'] }],
    ['typed-program', 'bundler', IN_PAGE],
    ['typed-page', 'bundler', IN_PAGE],
    // One project for both, since checking the types of viem takes seconds.
    ['typed-payments and typed-wallet', 'bundler', IN_PAGE],
  ])('compile %s under moduleResolution %s', async (programs, name, options) => {
    const project = join(installation.folder, `${programs} ${name}`)
    mkdirSync(project)
    const files = programs.split(' and ').map((program) => `${program}.ts`)
    if (files.includes('typed-wallet.ts')) linkDependency(project, 'viem')
    for (const file of files) {
      const program = readFileSync(new URL(`${file}.txt`, import.meta.url), 'utf8')
      writeFileSync(join(project, file), program)
    }
    const compilerOptions = {
      ...STRICT,
      ...options,
      moduleResolution: name,
      typeRoots: [join(CHECKOUT, 'node_modules/@types')],
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
    expect(await runIn(project, process.execPath, [compiler, '-p', '.'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })
})

/** Pages with programs for users of the package. */
const PAGES: readonly string[] = [
  'README.md',
  'host/chain/dev/README.md',
  'host/entry/README.md',
  'host/payments/adapter/README.md',
  'host/payments/client/README.md',
  'host/toolkit/README.md',
  'host/wallet/README.md',
  'host/wallet/client/README.md',
]

/**
 * Programs that are not type-checked: those that need a server framework that is not installed, and two in plain
 * JavaScript, which accept responses of any type.
 */
const UNTYPED = /from '(?:express|hono)'|^\/\/ (?:backend|agent)\.mjs$/m

/** Returns the JavaScript and TypeScript blocks of a page that import something, each with a file name. */
function programsOf(page: string): readonly (readonly [name: string, text: string])[] {
  return fencedBlocks(readFileSync(join(CHECKOUT, page), 'utf8'))
    .filter(({ language, text }) => /^(?:js|ts)$/.test(language) && /^import .* from '/m.test(text))
    .map(({ text }, at) => [`${page.replace(/\W/g, '-')}-${at}.ts`, text] as const)
}

test('the programs of the documentation pages compile in a strict TypeScript project', async () => {
  const project = join(installation.folder, 'pages')
  mkdirSync(project)
  linkDependency(project, 'viem')
  const programs = PAGES.flatMap(programsOf)
  const typed = programs.filter(([, text]) => !UNTYPED.test(text))
  expect([programs.length, typed.length]).toEqual([13, 9])
  for (const [name, text] of typed) writeFileSync(join(project, name), `${text}\nexport {}\n`)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(CHECKOUT, 'node_modules/@types')],
  }
  const files = typed.map(([name]) => name)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
  expect(await runIn(project, process.execPath, [compiler, '-p', '.'])).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})

describe('the command of the package', () => {
  test('prints its version without git and a checkout', async () => {
    const { version } = installation.manifest
    for (const word of ['version', '--version']) {
      const { code, stdout } = await runLockstep(word)
      expect([code, stdout.split('\n')[0]]).toEqual([0, version])
      expect(stdout).toMatch(/\nengine [0-9a-f]{64}\nnode v\d/)
    }
  })

  /** Returns the scripts of the threads that the package starts. */
  function threadScripts(): string[] {
    return installedFiles()
      .filter((path) => path.startsWith('dist/cli/') && path.endsWith('-worker.js'))
      .map((path) => path.slice(path.lastIndexOf('/') + 1))
  }

  function startInstalled(home: string, dev: boolean, args: readonly string[]) {
    return startDaemon({
      home,
      dev,
      main: join(installation.package, installation.manifest.bin.lockstep as string),
      variables: { ...bareEnvironment(home), ...watchThreads() },
      arguments: args,
    })
  }

  async function startNode(home: string, ...args: string[]) {
    mkdirSync(home)
    return startInstalled(home, true, args)
  }

  /** Starts a node with the worker threads that a development chain runs without. */
  function startValidator(home: string) {
    const args = ['--evm.serving-threads', '1', '--evm.parallel-execution', '1']
    return startInstalled(home, false, args)
  }

  /** Runs a loop of a development node until the thread that compiles hot code has started. */
  async function heat(rpc: string): Promise<void> {
    const to = `0x${'c0de'.repeat(10)}`
    await call(rpc, 'hardhat_setCode', [to, formatData(summingLoop(3, 0xffff))])
    const [from] = await call<string[]>(rpc, 'eth_accounts', [])
    await call(rpc, 'eth_sendTransaction', [{ from, to, gas: '0x4c4b40' }])
    const threads = () => readFileSync(join(folder, 'threads'), 'utf8')
    await expect.poll(threads, { timeout: 60_000 }).toContain('region-worker.js')
  }

  /** Deploys a contract that writes a slot and emits a log. Returns the transaction hash after it is in a block. */
  async function deploy(rpc: string): Promise<string> {
    const raw = await signDynamicFee(0, {
      nonce: 0,
      gas: 200_000n,
      data: `0x${Buffer.from(assemble(7, 0, 'SSTORE', 0, 0, 'LOG0', 'STOP')).toString('hex')}`,
    })
    const receipt = await call<{ transactionHash: string; status: string }>(
      rpc,
      'eth_sendRawTransactionSync',
      [raw],
    )
    expect(receipt.status).toBe('0x1')
    return receipt.transactionHash
  }

  test('runs a node with all its threads, records a bundle and replays it without the node', async () => {
    linkDependency(installation.folder, '@nxtedition/rocksdb')
    const home = join(folder, 'home')
    const daemon = await startNode(home, '--evm.compiled-code', 'true')
    const { rpc } = daemon.ready
    const hash = await deploy(rpc)
    await heat(rpc)
    const script = '{ n: 0, step() { this.n++ }, fault() {}, result() { return this.n } }'
    expect(await call(rpc, 'debug_traceTransaction', [hash, { tracer: script }])).toBe(7)
    const page = await fetch(`${daemon.ready.explorer}/tx/${hash}`)
    const [loaded = ''] = /\/explorer\/assets\/[\w.-]+\.js/.exec(await page.text()) ?? []
    expect((await fetch(new URL(loaded, rpc))).headers.get('content-type')).toMatch(/javascript/)
    const recorded = await runLockstep('record', hash, '--url', rpc, '--out', 'bundles')
    expect(recorded).toMatchObject({ code: 0, stderr: '' })
    const calls = await call(rpc, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    expect(await call(rpc, 'anvil_loadState', [await call(rpc, 'anvil_dumpState', [])])).toBe(true)
    expect(await daemon.stop()).toBe(0)
    expect(await runLockstep('snapshot', 'export', '--home', home)).toMatchObject({ code: 0 })
    expect(await runLockstep('debug', 'verify-db', '--home', home)).toMatchObject({ code: 0 })

    const rocks = await startNode(
      join(folder, 'rocks'),
      ...['--state-store.ss-backend', 'rocksdb'],
      ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
    )
    await deploy(rocks.ready.rpc)
    expect(await rocks.stop()).toBe(0)

    const validator = join(folder, 'validator')
    expect(await runLockstep('init', '--chain-id', 'dev', '--home', validator)).toMatchObject({
      code: 0,
    })
    const served = await startValidator(validator)
    await deploy(served.ready.rpc)
    expect(await served.stop()).toBe(0)
    const threads = readFileSync(join(folder, 'threads'), 'utf8').trim().split('\n')
    expect([...new Set(threads)].sort()).toEqual(threadScripts())

    const file = `bundles/tx-${hash}.json`
    expect(await runLockstep('replay', 'bundles')).toEqual({
      code: 0,
      stdout: `same     ${file}: 1 transaction, 7 steps, receipts and steps compared\n`,
      stderr: '',
    })
    const traced = await runLockstep('replay', file, '--tracer', 'callTracer')
    expect(JSON.parse(traced.stdout)).toEqual(calls)
    const { stdout } = await runModule(exampleOf('lockstep/replay'), [file])
    expect(stdout).toContain(`${file} same\n`)
    expect(stdout).toContain(`type: 'CREATE'`)

    const bundle = JSON.parse(readFileSync(join(installation.folder, file), 'utf8'))
    bundle.bundle.transactions[0].gasUsed = '0x1'
    writeFileSync(join(installation.folder, 'other.json'), JSON.stringify(bundle))
    const other = await runModule(exampleOf('lockstep/replay'), ['other.json'])
    expect(other.stdout).toMatch(/gasUsed of the receipt is 0x[0-9a-f]+, but 0x1 was recorded/)
  })
})
