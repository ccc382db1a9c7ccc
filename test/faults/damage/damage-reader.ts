import { readReadyFile } from '../../../host/cli/client/ready-file.ts'
import { runCommandLine } from '../../../host/cli/command-line.ts'
import type { DamageReport, DamageTask } from './damage-task.ts'

// Runs the given commands in order in one process, as the command line does, so that a start does not load modules
// again. The test sees whatever ends the process.

const LOOK_MS = 10

let output = ''
const keep = (text: unknown): boolean => {
  output += String(text)
  return true
}
process.stdout.write = keep as typeof process.stdout.write
process.stderr.write = keep as typeof process.stderr.write

async function ask(rpc: string, consensus: string, task: DamageTask): Promise<string[]> {
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      task.requests.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
    ),
  })
  const answers = (await response.json()) as { id: number; result?: unknown; error?: unknown }[]
  const texts: string[] = []
  for (const { id, result, error } of answers) texts[id] = JSON.stringify({ result, error })
  for (const path of task.routes) {
    const answer = await fetch(`${consensus}${path}`)
    texts.push(await answer.text())
  }
  return texts
}

async function run(task: DamageTask): Promise<DamageReport> {
  output = ''
  process.removeAllListeners('SIGTERM')
  process.removeAllListeners('SIGINT')
  process.removeAllListeners('SIGHUP')
  const verified = task.verifies
    ? await runCommandLine(['debug', 'verify-db', '--home', task.home])
    : 0
  const verification = output
  output = ''
  const ready = `${task.home}.ready`
  let code: number | undefined
  const ended = runCommandLine([
    'start',
    '--home',
    task.home,
    '--ready-file',
    ready,
    ...task.flags,
  ]).then((exit) => {
    code = exit
  })
  let node: ReturnType<typeof readReadyFile>
  while (code === undefined && node === undefined) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_MS))])
    node = readReadyFile(ready)
  }
  let answers: string[] | undefined
  if (code === undefined && node !== undefined) {
    answers = await ask(node.rpc ?? '', node.consensus ?? '', task)
    process.emit('SIGTERM')
  }
  await ended
  // The ready file does not help here: it is deleted when a start ends.
  const isSpent = code !== 0 && output.includes('EVM JSON-RPC')
  return { code: code ?? 0, output, verified, verification, answers, isSpent }
}

process.on('message', async (task: DamageTask) => {
  process.send?.(await run(task))
})
