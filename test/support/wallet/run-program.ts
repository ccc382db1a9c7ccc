import { spawn } from 'node:child_process'

/**
 * What a program writes on stdout, given its input.
 * @throws Error with what it wrote on stderr where it does not end well
 */
export function runProgram(
  program: string,
  args: readonly string[],
  input: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...variables } })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout)
      else reject(new Error(`${program} ended with ${code ?? signal}:\n${stderr}`))
    })
  })
}
