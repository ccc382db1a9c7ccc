import { execFile } from 'node:child_process'
import { LockstepError, messageOf } from '../../../base/error.ts'

/** The release line with the node's ABCI version. */
const WANTED = /^v?0\.38\./

const TIMEOUT_MS = 20_000

/**
 * Runs `version` of a CometBFT program and checks the result.
 * @returns its version, such as `0.38.19`
 * @throws COMETBFT_MISSING if the program does not exist or is of another release
 */
export async function checkCometVersion(program: string): Promise<string> {
  const said = await ask(program)
  // A build from a working copy appends the commit.
  const version = /^v?\d+\.\d+\.\d+\S*$/.exec(said.trim())?.[0]
  if (version === undefined) {
    const quoted = JSON.stringify(said.trim().slice(0, 100))
    throw missing(`${program} is not CometBFT: \`${program} version\` says ${quoted}`)
  }
  if (!WANTED.test(version)) {
    throw missing(`${program} is CometBFT ${version}, but this node requires 0.38`)
  }
  return version
}

function ask(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, ['version'], { timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(missing(reasonOf(program, error, stderr), error))
    })
  })
}

function reasonOf(program: string, error: Error & { code?: unknown }, stderr: string): string {
  if (error.code === 'ENOENT') {
    return program.includes('/')
      ? `there is no CometBFT at ${program}`
      : `there is no program ${program} on the PATH`
  }
  if (error.code === 'EACCES') return `${program} may not be run by this user`
  const [line = ''] = stderr.trim().split('\n')
  return `${program} does not say its version: ${line === '' ? messageOf(error) : line}`
}

function missing(message: string, cause?: unknown): LockstepError {
  return new LockstepError('COMETBFT_MISSING', message, { cause })
}
