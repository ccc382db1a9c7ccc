import { LockstepError } from '../../../base/error.ts'
import type { Hex } from '../../../base/hex.ts'
import { type BlockView, hasFailed } from '../../browser/source/block-rows.ts'
import type { NodeReader } from '../../browser/source/node-reader.ts'
import { countText, weiText } from '../decode/format/amount.ts'
import { timeText } from '../decode/format/time-text.ts'
import { Answered } from '../node/answered.tsx'
import { FailedFilter } from '../node/failed-filter.tsx'
import { NodeTransactionTable } from '../node/transaction-table.tsx'
import { useNodeQuery } from '../node/use-node-query.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { AddressLink } from '../text/address-link.tsx'
import { Link } from '../text/link.tsx'

/** A block with its transactions. */
export function BlockPage({ id }: { readonly id: string }) {
  const answer = useNodeQuery((reader) => readBlock(reader, id), [id])
  return (
    <>
      <h1>Block {/^\d+$/.test(id) ? countText(BigInt(id)) : id}</h1>
      <Answered answer={answer}>{(block) => <BlockContent block={block} />}</Answered>
    </>
  )
}

function BlockContent({ block }: { readonly block: BlockView }) {
  const { location } = useExplorer()
  const { number } = block
  const mined = useNodeQuery(
    async (reader) => [...(await reader.minedTransactions([number])).flat()].reverse(),
    [number],
  )
  const isFailed = location.view.value.show === 'failed'
  return (
    <>
      <nav class="buttons" aria-label="Neighbouring blocks">
        {number > 0 && (
          <Link to={{ page: { kind: 'block', block: `${number - 1}` } }}>← Parent</Link>
        )}
        <Link to={{ page: { kind: 'block', block: `${number + 1}` } }}>Child →</Link>
      </nav>
      <dl class="facts">
        <dt>Number</dt>
        <dd>{countText(number)}</dd>
        <dt>Hash</dt>
        <dd class="mono">{block.hash}</dd>
        <dt>Parent</dt>
        <dd class="mono">{block.parentHash}</dd>
        <dt>Time</dt>
        <dd>{timeText(block.timestamp)}</dd>
        <dt>Fee recipient</dt>
        <dd>
          <AddressLink address={block.miner} isLong />
        </dd>
        <dt>Gas</dt>
        <dd>
          {countText(block.gasUsed)} used of {countText(block.gasLimit)}
        </dd>
        {block.baseFee !== undefined && (
          <>
            <dt>Base fee</dt>
            <dd>{weiText(block.baseFee)} per unit of gas</dd>
          </>
        )}
      </dl>
      <h2>Transactions</h2>
      {block.transactionCount === 0 ? (
        <p class="muted">It has none.</p>
      ) : (
        <Answered answer={mined}>
          {(rows) => {
            const shown = isFailed ? rows.filter(hasFailed) : rows
            return (
              <>
                <nav class="buttons" aria-label="Filter">
                  <FailedFilter />
                  <span class="muted">
                    {countText(rows.filter(hasFailed).length)} of {countText(rows.length)} failed
                  </span>
                </nav>
                {shown.length > 0 && (
                  <NodeTransactionTable label="Transactions of the block" rows={shown} />
                )}
              </>
            )
          }}
        </Answered>
      )}
    </>
  )
}

async function readBlock(reader: NodeReader, id: string): Promise<BlockView> {
  const block = await reader.block(/^0x/.test(id) ? (id as Hex) : await numberOf(reader, id))
  if (block !== undefined) return block
  throw new LockstepError('NOT_FOUND', `${reader.name} has no block ${id}`, {
    hint: 'check the number or hash, and the chain of the node; the block may not exist yet',
  })
}

/** Block tags in links: pending, safe and finalized mean the head here. */
async function numberOf(reader: NodeReader, id: string): Promise<number> {
  if (id === 'earliest') return 0
  return /^\d+$/.test(id) ? Number(id) : reader.height()
}
