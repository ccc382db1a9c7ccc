import { NodeClient } from '../../../client/remote-node/node-client.ts'
import { NodeReader } from '../../browser/source/node-reader.ts'

/** A node to ask. */
export interface AskedNode {
  readonly url: string
  readonly reader: NodeReader
}

/** The node at a URL; undefined for what is no URL of a node: a link may name anything. */
export function askedNode(url: string | undefined): AskedNode | undefined {
  if (url === undefined) return undefined
  try {
    return { url, reader: new NodeReader(new NodeClient(url)) }
  } catch {
    return undefined
  }
}
