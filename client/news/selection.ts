import type { News, NewsKind } from './news';

export type WantedNews = 'milestones' | 'eachOutput' | 'onlyWhenFinished' | 'everyEvent';

export interface Selection {
	delivery: WantedNews;
	/** With milestones: each output too. */
	alsoOutputs: boolean;
	/** With every event: only these kinds; empty lets all pass. */
	kinds: readonly NewsKind[];
	/** Empty lets all pass. */
	jobIds: readonly string[];
	/** News of other nodes is left out; news of no node in particular passes. Empty lets all pass. */
	nodeIds: readonly string[];
}

const KINDS: Record<Exclude<WantedNews, 'everyEvent'>, readonly NewsKind[]> = {
	milestones: ['milestone', 'finished'],
	eachOutput: ['output', 'finished'],
	onlyWhenFinished: ['finished'],
};

/** Milestones and the end are told for people; whoever wants every event has the progress itself. */
const isWanted = ({ kind }: News, { delivery, alsoOutputs, kinds }: Selection): boolean => {
	if (delivery === 'everyEvent') return kinds.length === 0 ? kind !== 'milestone' : kinds.includes(kind);
	return KINDS[delivery].includes(kind) || (alsoOutputs && kind === 'output');
};

const allows = (wanted: readonly string[], id: string | null): boolean => wanted.length === 0 || id === null || wanted.includes(id);

/** Whether a piece of news is asked for. News of the account is about no job, so a choice of jobs leaves it out. */
export const isSelected = (news: News, selection: Selection): boolean =>
	isWanted(news, selection) &&
	(news.job_id !== null || selection.jobIds.length === 0) &&
	allows(selection.jobIds, news.job_id) &&
	allows(selection.nodeIds, news.node_id);
