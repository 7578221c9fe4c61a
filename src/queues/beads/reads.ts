import type { Comment } from '../../domain/task/comment.ts'
import type { Dependency } from '../../domain/task/dependency.ts'
import type { HistoryEntry } from '../../domain/task/history.ts'
import type { Task } from '../../domain/task/task.ts'
import type { CountGroup, IdMatch, ListedTask, Stats, TaskFilter, TaskQuery } from '../../ports/task-store.ts'
import type { SqliteQueue } from '../sqlite/queue.ts'
import type { Link } from './link.ts'

/** Reads from the mirror, after a sync if bd's database changed. */
export abstract class MirroredReads {
  protected abstract readonly link: Link
  protected abstract readonly mirror: SqliteQueue

  async get(id: string): Promise<Task | undefined> {
    await this.link.ensureFresh()
    return await this.mirror.get(id)
  }

  async ready(want: { limit: number }): Promise<readonly Task[]> {
    await this.link.ensureFresh()
    return await this.mirror.ready(want)
  }

  async resolve(text: string): Promise<IdMatch> {
    await this.link.ensureFresh()
    return await this.mirror.resolve(text)
  }

  async *find(query: TaskQuery): AsyncIterable<ListedTask> {
    await this.link.ensureFresh()
    yield* this.mirror.find(query)
  }

  async count(filter: TaskFilter): Promise<number> {
    await this.link.ensureFresh()
    return await this.mirror.count(filter)
  }

  async countBy(filter: TaskFilter, by: CountGroup): Promise<readonly { group: string; count: number }[]> {
    await this.link.ensureFresh()
    return await this.mirror.countBy(filter, by)
  }

  async stats(): Promise<Stats> {
    await this.link.ensureFresh()
    return await this.mirror.stats()
  }

  async edges(ids: readonly string[], direction: 'down' | 'up'): Promise<readonly Dependency[]> {
    await this.link.ensureFresh()
    return await this.mirror.edges(ids, direction)
  }

  async comments(id: string): Promise<readonly Comment[]> {
    await this.link.ensureFresh()
    return await this.mirror.comments(id)
  }

  async history(id: string): Promise<readonly HistoryEntry[]> {
    return await this.mirror.history(id)
  }

  async blocked(filter: TaskFilter): Promise<readonly { task: ListedTask; blockedBy: readonly string[] }[]> {
    await this.link.ensureFresh()
    return await this.mirror.blocked(filter)
  }

  async labels(): Promise<readonly { label: string; count: number }[]> {
    await this.link.ensureFresh()
    return await this.mirror.labels()
  }
}
