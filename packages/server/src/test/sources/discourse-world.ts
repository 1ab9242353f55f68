/**
 * Holds a forum: its categories, topics, posts, groups and users. Each change takes a second. As in Discourse, ids grow, a
 * topic comes to the top of the list of activity when its last post is written or edited, and goes back when that is
 * deleted.
 */
import { must } from '../../util.ts';
import { newWord } from './cloud-company.ts';

export interface ForumCategory {
  readonly id: number;
  name: string;
  word: string;
  readonly parent?: number;
  /** Names of groups; null stands for everybody. */
  groups: string[] | null;
}
export interface ForumTopic {
  readonly id: number;
  title: string;
  category: number;
  bumped: number;
  visible: boolean;
}
export interface ForumPost {
  readonly id: number;
  readonly topic: number;
  readonly number: number;
  readonly author: string;
  word: string;
  type: number;
  readonly created: number;
  updated: number;
  answers: number | null;
  hidden: boolean;
  /** Its author has deleted it; a while later the forum removes it. */
  deleted: boolean;
}
export interface ForumUser {
  readonly username: string;
  email: string;
  active: boolean;
  staged: boolean;
  suspended: boolean;
}

export function makeForum() {
  const categories = new Map<number, ForumCategory>();
  const topics = new Map<number, ForumTopic>();
  const posts = new Map<number, ForumPost>();
  const groups = new Map<string, { readonly id: number; members: string[] }>();
  const users: ForumUser[] = [];
  const made = { categories: 0, topics: 0, posts: 0, groups: 40 };
  let now = Date.UTC(2026, 0, 1);
  const tick = () => {
    now += 1000;
    return now;
  };

  const postsOf = (topic: number) => [...posts.values()].filter((post) => post.topic === topic);
  const lastOf = (topic: number) => postsOf(topic).at(-1);

  function addCategory(name: string, more: Partial<ForumCategory> = {}): ForumCategory {
    const id = ++made.categories;
    const category = { id, name, word: newWord(), groups: null, ...more };
    categories.set(id, category);
    return category;
  }
  function addPost(topic: ForumTopic, more: Partial<ForumPost> = {}): ForumPost {
    const at = tick();
    topic.bumped = at;
    const id = ++made.posts;
    const number = (lastOf(topic.id)?.number ?? 0) + 1;
    const times = { created: at, updated: at };
    const parts = {
      word: newWord(),
      author: 'ann',
      type: 1,
      answers: null,
      hidden: false,
      deleted: false,
    };
    const post = { id, topic: topic.id, number, ...times, ...parts, ...more };
    posts.set(id, post);
    return post;
  }
  function addTopic(category: number, more: Partial<ForumPost> = {}): ForumTopic {
    const id = ++made.topics;
    const topic = { id, title: `Question ${id}`, category, bumped: 0, visible: true };
    topics.set(id, topic);
    addPost(topic, more);
    return topic;
  }
  function editPost(post: ForumPost, more: Partial<ForumPost> = {}): void {
    post.updated = tick();
    Object.assign(post, { word: newWord() }, more);
    if (post === lastOf(post.topic)) must(topics.get(post.topic)).bumped = post.updated;
  }
  function removeTopic(id: number): void {
    for (const post of postsOf(id)) posts.delete(post.id);
    topics.delete(id);
  }
  function removePost(post: ForumPost): void {
    if (post.number === 1) {
      removeTopic(post.topic);
      return;
    }
    const wasLast = post === lastOf(post.topic);
    posts.delete(post.id);
    if (wasLast) must(topics.get(post.topic)).bumped = must(lastOf(post.topic)).created;
  }
  function addGroup(name: string, members: string[]): void {
    groups.set(name, { id: ++made.groups, members });
  }
  function addUser(username: string, more: Partial<ForumUser> = {}): void {
    const email = `${username}@Example.org`;
    const parts = { active: true, staged: false, suspended: false };
    users.push({ username, email, ...parts, ...more });
  }

  return {
    categories,
    topics,
    posts,
    groups,
    users,
    postsOf,
    lastOf,
    addCategory,
    addTopic,
    addPost,
    editPost,
    removePost,
    removeTopic,
    removeCategory: (id: number) => void categories.delete(id),
    addGroup,
    addUser,
  };
}
