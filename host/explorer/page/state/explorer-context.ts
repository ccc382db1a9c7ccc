import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Explorer } from './explorer.ts'

export const ExplorerContext = createContext<Explorer | undefined>(undefined)

/** Returns the explorer of a component. */
export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext)
  if (explorer === undefined) throw new Error('a component is outside of ExplorerContext')
  return explorer
}
