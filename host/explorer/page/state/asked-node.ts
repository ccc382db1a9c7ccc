import { NodeClient } from '../../../client/remote-node/node-client.ts'
import { NodeReader } from '../../browser/source/node-reader.ts'

/** A node with its reader. */
export interface AskedNode {
  readonly url: string
  readonly client: NodeClient
  readonly reader: NodeReader
}

/** Returns the node at a URL; undefined if the URL is invalid, as in a malformed link. */
export function askedNode(url: string | undefined): AskedNode | undefined {
  if (url === undefined) return undefined
  try {
    const client = new NodeClient(url)
    return { url, client, reader: new NodeReader(client) }
  } catch {
    return undefined
  }
}
