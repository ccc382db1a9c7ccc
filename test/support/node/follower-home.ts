import { join } from 'node:path'
import { homeAt } from '../../../host/node/home/home.ts'
import { runCommand } from './daemon.ts'

/** Creates a home in full mode for the chain of another home. @throws Error with the output of `init` */
export async function makeFollowerHome(home: string, validatorHome: string): Promise<void> {
  const genesis = homeAt(validatorHome).config.genesis
  const init = ['init', '--mode', 'full', '--chain-id', 'dev', '--genesis', genesis]
  const { code, stderr } = await runCommand([...init, '--home', home])
  if (code !== 0) throw new Error(`init of ${join(home)}: ${stderr}`)
}
