// A demo whose policies and permission to edit are the page's state, and a table that the simulator in the page fills.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import init, { compare } from "fairlane";
import { FairlaneDemo } from "fairlane/demo";

// Where the lab is: ?lab=… of this page's address, or the published one.
FairlaneDemo.lab = new URLSearchParams(location.search).get("lab") ?? FairlaneDemo.lab;

function Article() {
  const [policies, setPolicies] = useState(["ujf", "uwfq"]);
  const [edit, setEdit] = useState(false);
  const [scenario, setScenario] = useState("catalog:priority-inversion");
  const [state, setState] = useState(null);
  const [rows, setRows] = useState([]);
  useEffect(() => {
    init().then(() => setRows(compare(scenario, policies).policies));
  }, [scenario, policies]);
  return (
    <main>
      <h1>Priority inversion</h1>
      <button id="more" onClick={() => setPolicies(["fair", "ujf", "uwfq"])}>With Fair</button>
      <button id="edit" onClick={() => setEdit(!edit)}>{edit ? "Read only" : "Edit"}</button>
      <fairlane-demo
        scenario="priority-inversion" show="lanes,panels,transport" policies={policies} edit={edit}
        height={400} at={1.5}
        onfairlane-state={({ detail }) => setState(detail)}
        onfairlane-edit={({ detail }) => setScenario(detail.scenario)}
      />
      <p id="shown">{state?.settled ? Object.keys(state.meanResponse).join() : ""}</p>
      <table>
        <tbody>
          {rows.map((row) => <tr key={row.policy}><th>{row.policy}</th><td>{row.mean_response_s}</td></tr>)}
        </tbody>
      </table>
    </main>
  );
}

createRoot(document.getElementById("root")).render(<Article />);
