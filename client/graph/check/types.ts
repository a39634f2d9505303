import type { ConversionNote } from '../convert';
import type { ConversionPlace, ConversionRefusal } from '../../graphFaults';

/** A node class that the server does not have. */
export interface MissingClass {
	className: string;
	/** What brings it; undefined where nobody says. */
	pack?: string;
	/** The pack is told by the class's name, not by the file. */
	isGuess: boolean;
	nodes: ConversionPlace[];
}

/** A file that an input names and the server does not offer. */
export interface MissingNamed {
	name: string;
	/** Below ComfyUI's own; undefined where nobody says. */
	folder?: string;
	/** As the workflow's author says. */
	url?: string;
	/** What the server offers instead, by names like it. */
	near: string[];
	nodes: ConversionPlace[];
}

/** What else a server would refuse. */
export type CheckFault =
	| (ConversionPlace & { fault: 'not_offered'; value: unknown; near: string[] })
	| (ConversionPlace & { fault: 'out_of_range'; value: unknown; min?: string; max?: string })
	| (ConversionPlace & { fault: 'no_number'; value: unknown })
	| (ConversionPlace & { fault: 'missing_input' })
	| (ConversionPlace & { fault: 'dangling_link'; from: string })
	| { fault: 'no_outputs' }
	/** It cannot be converted for another reason than a missing class. */
	| { fault: 'refused'; refusals: ConversionRefusal[] };

export type CheckNote =
	| { note: 'conversion'; notes: ConversionNote[] }
	/** The server does not list what is in other folders than its own for inputs. */
	| (ConversionPlace & { note: 'file_unseen'; name: string });

/** Whether a server can run a workflow, as far as its definitions tell. */
export interface WorkflowCheck {
	missingClasses: MissingClass[];
	missingModels: MissingNamed[];
	missingFiles: MissingNamed[];
	otherFaults: CheckFault[];
	notes: CheckNote[];
}
