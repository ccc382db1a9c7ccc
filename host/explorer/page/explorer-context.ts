import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Explorer } from './explorer.ts'

export const ExplorerContext = createContext<Explorer | undefined>(undefined)

/** The explorer that a component is part of. */
export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext)
  if (explorer === undefined) throw new Error('a component stands outside of ExplorerContext')
  return explorer
}
