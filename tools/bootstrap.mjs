// Plain JavaScript without dependencies: it runs before the installation, on Node 20 or later.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import {
  CACHE,
  chooseNode,
  FETCHED_NODE,
  nodePackage,
  ROOT,
  SetupError,
  SOURCE,
} from './choose-node.mjs'
import { keepStamp, timesOfAll } from './ready-stamp.mjs'
import { withSetupLock } from './setup-lock.mjs'

const LOCK_FILE = join(ROOT, 'package-lock.json')
const MANIFEST = join(ROOT, 'package.json')
const DEPENDENCY_STAMP = join(ROOT, 'node_modules', '.lockstep-stamp')
const BUILD = join(ROOT, 'build')
const WASM_STAMP = join(BUILD, '.stamp')
const WASM_TARGETS = ['engine', 'compile', 'commit', 'pairing', 'modules', 'recovery']
const EXPLORER = join(BUILD, 'explorer')
const EXPLORER_STAMP = join(BUILD, '.explorer-stamp')
/** Sources of the explorer's page, besides the modules and the dependencies. */
const EXPLORER_SOURCES = [
  'tools/explorer',
  ...['base', 'evm', 'client', 'explorer', 'entry'].map((folder) => `host/${folder}`),
]
/** Bundles of the command line. Each folder is named by the hash of its sources. */
const BUNDLES = join(BUILD, 'lockstep')
/** Retained bundles: a running node loads more of the one that it started from. */
const KEPT_BUNDLES = 8
/** Attempts to build a bundle if a source changes meanwhile. */
const BUNDLE_ATTEMPTS = 5
/** The tool that finishes engine.wasm, and its sources. */
const REGISTER_TOOL = ['tools/engine-registers.ts', 'tools/wasm-module.ts', 'tools/wasm-reader.ts']

function say(line) {
  process.stderr.write(`lockstep: ${line}\n`)
}

/** Runs a step to its end. Shows its output only if it fails. */
function runStep(what, node, args, environment = {}) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  const child = spawn(node, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) return resolve()
      process.stderr.write(Buffer.concat(output))
      reject(new SetupError(`${what} failed (${signal ?? `exit code ${code}`})`))
    })
  })
}

/** Returns npm's own script, so that it can run under a chosen Node. */
function findNpm() {
  const beside = dirname(realpathSync(process.execPath))
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'))
  const candidates = [
    process.env.npm_execpath,
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...onPath,
  ]
  for (const candidate of candidates) {
    if (candidate === undefined || !existsSync(candidate)) continue
    const script = realpathSync(candidate)
    if (basename(script) === 'npm-cli.js') return script
  }
  throw new SetupError('npm was not found: install it next to Node')
}

/** Debian's npm finds its parts by a search path that only Debian's Node has built in. */
function npmEnvironment(npm) {
  return npm.startsWith('/usr/share/nodejs/') ? { NODE_PATH: '/usr/share/nodejs' } : {}
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function dependencyStamp() {
  const lock = createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex')
  return `${lock} ${process.platform}-${process.arch}\n`
}

/** Adds the names and contents of files in a folder, whose names match `form`, to a hash. */
function hashFolder(hash, folder, form) {
  const names = readdirSync(join(ROOT, folder), { recursive: true })
  for (const name of names.filter((found) => form.test(found)).sort()) {
    const content = readFileSync(join(ROOT, folder, name))
    hash.update(`${name.replaceAll('\\', '/')} ${content.length}\n`).update(content)
  }
}

/** Returns a hash of everything that the modules are built from, or undefined before dependencies are installed. */
function wasmStamp() {
  const compiler = join(ROOT, 'node_modules', 'assemblyscript', 'package.json')
  if (!existsSync(compiler)) return undefined
  const hash = createHash('sha256')
  hash.update(JSON.parse(readFileSync(compiler, 'utf8')).version)
  for (const part of ['asconfig.json', ...REGISTER_TOOL]) {
    hash.update(readFileSync(join(ROOT, part)))
  }
  hashFolder(hash, 'assembly', /\.ts$/)
  return `${hash.digest('hex')}\n`
}

/** Returns a hash of everything that the explorer's page is built from. */
function explorerStamp() {
  const hash = createHash('sha256').update(`${dependencyStamp()}${readStamp(WASM_STAMP)}`)
  for (const folder of EXPLORER_SOURCES) hashFolder(hash, folder, /\.(tsx?|css|html|json|svg)$/)
  return `${hash.digest('hex')}\n`
}

/** Returns the folder of the bundle of the current sources. */
function bundleFolder() {
  const hash = createHash('sha256').update(`${dependencyStamp()}${readFileSync(MANIFEST)}`)
  hashFolder(hash, 'tools/bundle', /\.ts$/)
  hashFolder(hash, 'host', /^(?!explorer[\\/]).*\.ts$/)
  return join(BUNDLES, hash.digest('hex').slice(0, 16))
}

function bundledMain() {
  return join(bundleFolder(), 'main.js')
}

function areDependenciesCurrent() {
  return readStamp(DEPENDENCY_STAMP) === dependencyStamp()
}

function isWasmCurrent() {
  const stamp = wasmStamp()
  return (
    stamp !== undefined &&
    readStamp(WASM_STAMP) === stamp &&
    WASM_TARGETS.every((target) => existsSync(join(BUILD, `${target}.wasm`)))
  )
}

function isExplorerCurrent() {
  return existsSync(join(EXPLORER, 'index.html')) && readStamp(EXPLORER_STAMP) === explorerStamp()
}

async function fetchNode() {
  const npm = findNpm()
  const name = nodePackage()
  say(`fetching Node ${FETCHED_NODE}, because this is ${process.versions.node}`)
  const args = ['install', '--prefix', join(CACHE, 'node'), '--ignore-scripts', '--no-audit']
  mkdirSync(join(CACHE, 'node'), { recursive: true })
  await runStep('fetching Node', process.execPath, [npm, ...args, `${name}@${FETCHED_NODE}`])
}

/**
 * Runs under the Node that will load the packages, or npm omits optional packages that name its engine. Not `npm ci`:
 * it rejects a lock file without the optional packages of every other platform, and not every registry has those.
 */
async function installDependencies(node) {
  const npm = findNpm()
  say('installing dependencies')
  const args = [npm, 'install', '--no-save', '--include=dev', '--include=optional']
  await runStep('npm install', node, args, npmEnvironment(npm))
  writeFileSync(DEPENDENCY_STAMP, dependencyStamp())
}

async function buildWasm(node) {
  const stamp = wasmStamp()
  const asc = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
  say('building the engine')
  mkdirSync(BUILD, { recursive: true })
  const build = async (target) => {
    const entry = join('assembly', `${target}.ts`)
    const fresh = join('build', `${target}.wasm.new`)
    const options = ['--config', 'asconfig.json', '--target', target, '--outFile', fresh]
    await runStep(`building ${target}.wasm`, node, [asc, entry, ...options])
    if (target === 'engine') {
      await runStep('appending registers', node, [REGISTER_TOOL[0], fresh])
    }
    // A node that starts meanwhile loads the old module or the new one, never a partial one.
    renameSync(join(ROOT, fresh), join(BUILD, `${target}.wasm`))
  }
  await Promise.all(WASM_TARGETS.map(build))
  writeFileSync(WASM_STAMP, stamp)
}

async function buildExplorer(node) {
  const stamp = explorerStamp()
  say('building the explorer')
  const fresh = join(BUILD, 'explorer.new')
  const builder = join('tools', 'explorer', 'build.ts')
  await runStep('building the explorer', node, [builder, fresh])
  rmSync(EXPLORER, { recursive: true, force: true })
  renameSync(fresh, EXPLORER)
  writeFileSync(EXPLORER_STAMP, stamp)
}

/** Removes the remains of an aborted build, and the oldest bundles. */
function removeOldBundles() {
  const found = readdirSync(BUNDLES).map((name) => {
    const path = join(BUNDLES, name)
    return { path, isWhole: !name.startsWith('new-'), at: statSync(path).mtimeMs }
  })
  const whole = found.filter(({ isWhole }) => isWhole).sort((one, other) => other.at - one.at)
  const unwanted = [...found.filter(({ isWhole }) => !isWhole), ...whole.slice(KEPT_BUNDLES)]
  for (const { path } of unwanted) rmSync(path, { recursive: true, force: true })
}

async function buildBundle(node) {
  say('bundling the sources')
  mkdirSync(BUNDLES, { recursive: true })
  removeOldBundles()
  const fresh = join(BUNDLES, `new-${process.pid}`)
  for (let attempt = 0; attempt < BUNDLE_ATTEMPTS; attempt++) {
    const folder = bundleFolder()
    if (existsSync(folder)) return
    try {
      await runStep('bundling', node, [join('tools', 'bundle', 'build.ts'), fresh, folder])
      // A source that changed meanwhile may be in it in either version
      if (bundleFolder() === folder) return renameSync(fresh, folder)
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  }
  throw new SetupError('the sources change faster than they are bundled')
}

/** Runs a step of the setup. If its result is only `wanted` and it fails, reports that and continues. */
async function buildUnlessWanted(build, wanted, otherwise) {
  try {
    await build()
  } catch (error) {
    // The system rejected it: a disk is full or read-only
    const isRefused = error instanceof SetupError || typeof error.code === 'string'
    if (!isRefused || wanted !== 'wanted') throw error
    say(`${error.message}: ${otherwise}`)
  }
}

/** Returns the files and folders that the setup depends on. */
function inputs(main, explorer) {
  const sources =
    main === SOURCE ? [] : JSON.parse(readFileSync(join(ROOT, dirname(main), 'sources.json')))
  return {
    files: [
      ...['package.json', 'package-lock.json', 'asconfig.json', 'node_modules/.lockstep-stamp'],
      ...['node_modules/assemblyscript/package.json', 'build/.stamp', ...REGISTER_TOOL],
      ...sources,
    ],
    folders: ['assembly', ...(explorer === undefined ? [] : EXPLORER_SOURCES)],
  }
}

/**
 * Prepares the checkout to run, and records that in `stamp`. Returns the Node to run it with, and the file of the
 * command line: its bundle if one is requested and can be built, its source otherwise.
 *
 * Also builds the explorer's page and the bundle if `explorer` and `bundle` say `needed`. If they say `wanted`, the
 * command continues without. Reports its actions on stderr, and stays silent if everything is ready.
 */
export async function prepare({ explorer, bundle }, stamp) {
  const node = chooseNode()
  const lacks = {
    basis: () => !existsSync(node) || !areDependenciesCurrent() || !isWasmCurrent(),
    bundle: () => bundle !== undefined && !existsSync(bundledMain()),
    explorer: () => explorer !== undefined && !isExplorerCurrent(),
  }
  const build = async () => {
    if (!existsSync(node)) await fetchNode()
    if (!areDependenciesCurrent()) await installDependencies(node)
    if (!isWasmCurrent()) await buildWasm(node)
    if (lacks.bundle()) {
      const otherwise = 'the sources run as they are'
      await buildUnlessWanted(() => buildBundle(node), bundle, otherwise)
    }
    if (lacks.explorer()) {
      const otherwise = 'the node starts without a new one'
      await buildUnlessWanted(() => buildExplorer(node), explorer, otherwise)
    }
  }
  const onWait = (pid) => say(`waiting for the setup by process ${pid}`)
  const locked = () => withSetupLock(CACHE, onWait, build)
  if (lacks.basis()) await locked()
  else if (lacks.bundle() || lacks.explorer()) {
    const wanted = bundle === 'needed' || explorer === 'needed' ? 'needed' : 'wanted'
    await buildUnlessWanted(locked, wanted, 'the command runs with the existing one')
  }
  const main = bundle === undefined || lacks.bundle() ? SOURCE : relative(ROOT, bundledMain())
  // Taken before the comparison, so that a change during it counts as later than the record
  const record = timesOfAll(ROOT, inputs(main, explorer))
  const isReady = !lacks.basis() && !lacks.bundle() && !lacks.explorer()
  const wasm = WASM_TARGETS.map((target) => `build/${target}.wasm`)
  const page = explorer === undefined ? [] : ['build/explorer/index.html']
  if (isReady) keepStamp(stamp, record, [main, ...wasm, ...page])
  return { node, main: join(ROOT, main) }
}
