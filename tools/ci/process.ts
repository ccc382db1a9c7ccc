import { spawn } from 'node:child_process'

/** Runs a Node program in the foreground, and ends it with this process. Resolves with its exit code. */
export function runNode(
  args: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: 'inherit',
  })
  const end = () => child.kill()
  process.once('exit', end)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      process.off('exit', end)
      resolve(code ?? 1)
    })
  })
}
