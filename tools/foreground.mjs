import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** Runs a command line with this terminal. Resolves with its exit code. */
export function runInForeground(node, args) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  const child = spawn(node, args, { env: { ...process.env, PATH: path }, stdio: 'inherit' })
  // A terminal signals the whole process group, so the child already has the signal.
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
