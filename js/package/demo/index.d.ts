import type { PolicyName, ScenarioFile } from "../simulator.js";

/** A list with commas between, or its items; `null` removes the attribute. */
type List<Item extends string> = string | Iterable<Item> | null | undefined;

/** A part of the page that a demo can show. */
export type DemoPart = "panels" | "lanes" | "ideal" | "compare" | "chart" | "lesson" | "transport";

/** What a demo reports when something has changed. */
export interface DemoState {
  /** The instant shown, in seconds. */
  at: number;
  playing: boolean;
  /** Whether all schedules are there. */
  settled: boolean;
  title: string;
  /** Mean response time in seconds by policy, `null` until it is known. */
  meanResponse: Record<string, number | null>;
  /** By policy, how many of the reader's predictions were right. */
  predictions: Record<string, { right: number; answers: number }>;
}

/** The events of a demo. They bubble. */
export interface FairlaneDemoEventMap extends HTMLElementEventMap {
  /** It shows its first picture. */
  "fairlane-ready": CustomEvent<Record<string, never>>;
  /** Why there is no demo, or what was wrong with the last change. */
  "fairlane-error": CustomEvent<{ message: string }>;
  "fairlane-state": CustomEvent<DemoState>;
  /** The scenario was changed, by the reader or by `setScenario`. */
  "fairlane-edit": CustomEvent<{ scenario: ScenarioFile }>;
}

/** `<fairlane-demo>`. Each property is the attribute of its name. */
export class FairlaneDemo extends HTMLElement {
  /** The address of the lab for elements without the attribute. */
  static lab: string;
  /** The name of a scenario of the catalog. */
  scenario: string;
  /** The address of a scenario file. */
  src: string;
  /** A lesson of the lab by name, such as `skew` or `skew/3`, or the address of a lesson's document. */
  lesson: string;
  /** What is behind the `#` of a share link. */
  session: string;
  get policies(): string;
  set policies(list: List<PolicyName>);
  get show(): string;
  set show(list: List<DemoPart>);
  /** Which chart is shown. */
  chart: string;
  theme: "light" | "dark" | "system" | "";
  get edit(): boolean;
  set edit(value: boolean | string | null | undefined);
  /** A policy whose decisions the reader predicts. */
  predict: PolicyName | "";
  /** The instant shown, in seconds. */
  get at(): number | null;
  set at(value: number | string | null | undefined);
  /** In pixels. */
  get height(): number | null;
  set height(value: number | string | null | undefined);
  /** The frame's name for screen readers. */
  label: string;
  /** The address of the lab. */
  lab: string;
  /** The address of the demo itself. */
  readonly address: URL;
  /** Resolves when the demo shows its first picture, rejects if there will be none. */
  readonly ready: Promise<this>;
  seek(seconds: number): void;
  play(): void;
  pause(): void;
  /** Shows another scenario in a demo that can be edited. */
  setScenario(scenario: ScenarioFile): void;
  addEventListener<Type extends keyof FairlaneDemoEventMap>(
    type: Type, listener: (this: FairlaneDemo, event: FairlaneDemoEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions,
  ): void;
}

/** The element as JSX writes it: each attribute, and a listener for each event. */
export interface FairlaneDemoAttributes {
  scenario?: string;
  src?: string;
  lesson?: string;
  session?: string;
  policies?: List<string>;
  show?: List<DemoPart>;
  chart?: string;
  theme?: FairlaneDemo["theme"];
  edit?: boolean | string | null;
  predict?: string;
  at?: number | string | null;
  height?: number | string | null;
  label?: string;
  lab?: string;
  loading?: "eager" | "lazy";
  "onfairlane-ready"?: (event: FairlaneDemoEventMap["fairlane-ready"]) => void;
  "onfairlane-error"?: (event: FairlaneDemoEventMap["fairlane-error"]) => void;
  "onfairlane-state"?: (event: FairlaneDemoEventMap["fairlane-state"]) => void;
  "onfairlane-edit"?: (event: FairlaneDemoEventMap["fairlane-edit"]) => void;
}

declare global {
  interface HTMLElementTagNameMap {
    "fairlane-demo": FairlaneDemo;
  }
}
