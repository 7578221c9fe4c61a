export interface Comment {
  id: string
  issue_id: string
  author: string
  text: string
  created_at: string
}
