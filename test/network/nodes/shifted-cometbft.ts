import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VERSION = 'v0.38.19'

/** Where `Now` of all that is signed and compared comes from. */
const CLOCK = 'types/time/time.go'

const NOW = 'Canonical(time.Now())'

const SHIFT = `package time

import (
	"os"
	"time"
)

var shift, _ = time.ParseDuration(os.Getenv("CLOCK_SHIFT"))
`

function sourceFolder(): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' })
  if (status !== 0) return undefined
  const folder = join(stdout.trim(), `github.com/cometbft/cometbft@${VERSION}`)
  return existsSync(folder) ? folder : undefined
}

/** Why a CometBFT with another clock cannot be built here; empty where it can. */
export function shiftedMissing(): string {
  return sourceFolder() === undefined ? `there is no Go that has built cometbft ${VERSION}` : ''
}

/** Builds a CometBFT below the folder whose clock goes wrong by CLOCK_SHIFT, such as `-5s`; some 20 s. */
export function buildShifted(folder: string): string {
  const source = join(folder, 'cometbft-source')
  cpSync(sourceFolder() ?? '', source, { recursive: true })
  execFileSync('chmod', ['-R', 'u+w', source])
  const clock = join(source, CLOCK)
  const original = readFileSync(clock, 'utf8')
  if (!original.includes(NOW)) throw new Error(`${CLOCK} has no ${NOW}`)
  writeFileSync(clock, original.replace(NOW, 'Canonical(time.Now().Add(shift))'))
  writeFileSync(join(source, 'types/time/shift.go'), SHIFT)
  const program = join(folder, 'cometbft-shifted')
  // All that it needs was fetched when cometbft was built; nothing is asked of another machine.
  execFileSync('go', ['build', '-o', program, './cmd/cometbft'], {
    cwd: source,
    env: { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod' },
  })
  return program
}

/** A program that runs another one with these variables. */
export function withVariables(
  file: string,
  program: string,
  variables: Readonly<Record<string, string>>,
): string {
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`)
  writeFileSync(file, `#!/bin/sh\n${words.join(' ')} exec '${program}' "$@"\n`)
  chmodSync(file, 0o755)
  return file
}
