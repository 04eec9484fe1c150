// The line that is being written stays in sight when the list of problems opens below it.
import { EditorView, ViewPlugin } from "@codemirror/view";

export const keepsInSight = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.height = view.scrollDOM.clientHeight;
      this.observer = new ResizeObserver(() => this.resized(view));
      this.observer.observe(view.scrollDOM);
    }

    resized(view) {
      const [before, now] = [this.height, view.scrollDOM.clientHeight];
      this.height = now;
      const { head } = view.state.selection.main;
      const line = now < before && view.hasFocus ? view.coordsAtPos(head) : null;
      if (!line) return;
      const below = line.bottom - view.scrollDOM.getBoundingClientRect().top;
      // Whoever has scrolled away from the cursor stays there.
      if (below > now && below <= before) view.dispatch({ effects: EditorView.scrollIntoView(head) });
    }

    destroy() {
      this.observer.disconnect();
    }
  },
);
